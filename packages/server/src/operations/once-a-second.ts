const SECOND_MS = 1000

/**
 * Reports one failure per second and kind, because in an outage every request fails. The first one is reported at once.
 * A later report is the last failure of its second, and `count` is their number.
 */
export function onceASecond<Failure extends object>(
  report: (failure: Failure & { readonly count: number }) => void,
): (kind: string, failure: Failure) => void {
  const pending = new Map<string, { last: Failure; count: number }>()

  function reportNow(kind: string, failure: Failure, count: number): void {
    report({ ...failure, count })
    const next = { last: failure, count: 0 }
    pending.set(kind, next)
    setTimeout(() => {
      pending.delete(kind)
      if (next.count > 0) reportNow(kind, next.last, next.count)
    }, SECOND_MS).unref()
  }

  return (kind, failure) => {
    const next = pending.get(kind)
    if (next === undefined) return reportNow(kind, failure, 1)
    next.last = failure
    next.count += 1
  }
}
