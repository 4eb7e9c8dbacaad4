import type { Store } from '@grantkit/core'
import { aGrant } from '@grantkit/testkit'
import { expect } from 'vitest'
import { soon } from './patient.ts'

/** Many count together in the same grants. No count that was acknowledged may be lost or doubled, whatever happens. */

const GRANTS = 10
const CONTENDERS = 4

interface Count {
  readonly id: string
  /** Acknowledged. */
  written: number
  unknown: number
}

/** What was counted, and the longest time in milliseconds without any acknowledged count. */
export interface Counted {
  readonly written: number
  readonly unknown: number
  readonly longestPause: number
}

/**
 * Counts until the work is over, and then compares the records with what was acknowledged.
 *
 * @param work gets a function that waits for as many attempts as there are contenders, whatever comes of them
 */
export async function countDuring(
  { grants }: Store,
  work: (more: () => Promise<void>) => Promise<void>,
): Promise<Counted> {
  const counts: Count[] = Array.from({ length: GRANTS }, () => ({ id: aGrant().id, written: 0, unknown: 0 }))
  for (const { id } of counts) await grants.insert(id, aGrant({ id, usedAt: 0 }), soon())
  const state = { over: false, attempts: 0, longestPause: 0, lastAt: performance.now() }
  const contenders = counts.flatMap((count) =>
    Array.from({ length: CONTENDERS }, () => countUp(grants, count, state)),
  )
  const more = () => {
    const enough = state.attempts + contenders.length
    return expect.poll(() => state.attempts).toBeGreaterThanOrEqual(enough)
  }
  await work(more).finally(() => {
    state.over = true
  })
  await Promise.all(contenders)
  for (const count of counts) await compare(grants, count)
  const sum = (name: 'written' | 'unknown') => counts.reduce((all, count) => all + count[name], 0)
  return { written: sum('written'), unknown: sum('unknown'), longestPause: Math.round(state.longestPause) }
}

async function countUp(
  grants: Store['grants'],
  count: Count,
  state: { over: boolean; attempts: number; longestPause: number; lastAt: number },
): Promise<void> {
  for (; !state.over; state.attempts++) {
    const seen = await grants.find(count.id).catch(() => undefined)
    if (seen === undefined) continue
    const next = { ...seen.value, usedAt: seen.value.usedAt + 1 }
    try {
      if (!(await grants.replace(count.id, seen, next, soon()))) continue
      count.written++
      state.longestPause = Math.max(state.longestPause, performance.now() - state.lastAt)
      state.lastAt = performance.now()
    } catch {
      count.unknown++
    }
  }
}

async function compare(grants: Store['grants'], { id, written, unknown }: Count): Promise<void> {
  const usedAt = () => grants.find(id).then((found) => found?.value.usedAt)
  await expect.poll(() => usedAt().catch(() => -1)).toBeGreaterThanOrEqual(written)
  expect(await usedAt()).toBeLessThanOrEqual(written + unknown)
}
