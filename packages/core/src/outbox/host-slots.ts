/** How much of this process one host can hold. */
interface Slots {
  free: number
  readonly waiting: { readonly wanted: number; readonly enter: (count: number) => void }[]
}

/** Does work for a host in as many of its slots as are free, one at least. The rest waits in order, and holds nothing meanwhile. */
export type HostSlots = <T>(host: string, wanted: number, work: (count: number) => Promise<T>) => Promise<T>

export function hostSlots(most: number): HostSlots {
  const hosts = new Map<string, Slots>()
  function serve(slots: Slots): void {
    for (let next = slots.waiting[0]; next !== undefined && slots.free > 0; next = slots.waiting[0]) {
      slots.waiting.shift()
      const count = Math.min(slots.free, next.wanted)
      slots.free -= count
      next.enter(count)
    }
  }
  return async (host, wanted, work) => {
    const slots = hosts.get(host) ?? { free: most, waiting: [] }
    hosts.set(host, slots)
    const entered = new Promise<number>((enter) => slots.waiting.push({ wanted, enter }))
    serve(slots)
    const count = await entered
    try {
      return await work(count)
    } finally {
      slots.free += count
      serve(slots)
      if (slots.free === most) hosts.delete(host)
    }
  }
}
