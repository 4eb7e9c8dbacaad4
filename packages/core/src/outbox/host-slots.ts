/** How much of this process one host can hold. */
const MAX_AT_ONCE = 4

/** Does work for a host when fewer than four others run. The rest waits in order. */
export type HostSlots = <T>(host: string, work: () => Promise<T>) => Promise<T>

export function hostSlots(most = MAX_AT_ONCE): HostSlots {
  const hosts = new Map<string, { running: number; readonly waiting: (() => void)[] }>()
  return async (host, work) => {
    const slots = hosts.get(host) ?? { running: 0, waiting: [] }
    hosts.set(host, slots)
    // Whoever leaves hands its slot over, so the count stays.
    if (slots.running < most) slots.running++
    else await new Promise<void>((enter) => slots.waiting.push(enter))
    try {
      return await work()
    } finally {
      const next = slots.waiting.shift()
      if (next !== undefined) next()
      else if (--slots.running === 0) hosts.delete(host)
    }
  }
}
