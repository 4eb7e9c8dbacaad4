import { wholeNumber } from '../kernel/kernel.ts'
import { processCounter, type RateLimitWindow } from '../limits/rate-limits.ts'

/** Of all issuers together. */
export interface TotalLimit extends RateLimitWindow {
  /** The part of it that one issuer may use up: above 0, at most 1. */
  readonly share: number
}

/** Counts what the limits of the issuers let pass, in this process. @throws Error for a bad limit */
export function totalsOf(totals: Readonly<Record<string, TotalLimit>>, now: () => number) {
  const counters = new Map(
    Object.entries(totals).map(([name, { points, seconds, share }]) => {
      wholeNumber(`totals.${name}.points`, points, 1)
      wholeNumber(`totals.${name}.seconds`, seconds, 1)
      if (!(share > 0 && share <= 1)) throw new Error(`totals.${name}.share must be above 0, at most 1`)
      const each = processCounter({ points: Math.ceil(points * share), seconds }, now)
      return [name, { each, all: processCounter({ points, seconds }, now) }]
    }),
  )
  return {
    /** @returns seconds until the next event is allowed; 0 if this one was */
    async take(limit: string, issuer: string): Promise<number> {
      const counter = counters.get(limit)
      // What an issuer is refused takes nothing from the others.
      return counter === undefined ? 0 : (await counter.each.take(issuer)) || counter.all.take('')
    },
    async refund(limit: string, issuer: string): Promise<void> {
      await counters.get(limit)?.each.refund(issuer)
      await counters.get(limit)?.all.refund('')
    },
  }
}
