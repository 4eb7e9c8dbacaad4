const SECOND_MS = 1000

/**
 * Tells one failure a second of each kind, because in an outage every request fails. The first one is told at once. A
 * later one is the last of its second, and `count` says how many it stands for.
 */
export function onceASecond<Failure extends object>(
  tell: (failure: Failure & { readonly count: number }) => void,
): (kind: string, failure: Failure) => void {
  const untold = new Map<string, { last: Failure; count: number }>()

  function tellNow(kind: string, failure: Failure, count: number): void {
    tell({ ...failure, count })
    const next = { last: failure, count: 0 }
    untold.set(kind, next)
    setTimeout(() => {
      untold.delete(kind)
      if (next.count > 0) tellNow(kind, next.last, next.count)
    }, SECOND_MS).unref()
  }

  return (kind, failure) => {
    const next = untold.get(kind)
    if (next === undefined) return tellNow(kind, failure, 1)
    next.last = failure
    next.count += 1
  }
}
