import { rowBudget } from '../limits/row-budget.ts'
import { type Happened, reasonOf } from './entry.ts'
import type { Cause } from './kept-events.ts'
import { leftOut } from './left-out.ts'

/**
 * Limits the rows that a caller can cause in a minute. Entries beyond the limit are counted: no flood fills the disk,
 * and a flood of one reason hides no other reason.
 */

/** Rows in a minute for one type of one user. */
const OF_USER = 60
/** Clients and networks in a minute for one error reason, and for all reasons together. */
const OF_REASON = 3
const OF_UNAUTHENTICATED = 20

/** Entries that are equal but for their time. */
interface Repeated {
  readonly first: Happened
  more: number
}

export interface Bounds {
  /** Whether the entry gets a row. Otherwise it is counted. */
  admits(happened: Happened, cause: Cause): boolean
  /** The rows of the entries counted since the last call. Resets all limits. */
  counted(): Happened[]
}

export function boundsOfMinute(): Bounds {
  const rows = rowBudget()
  let repeated = new Map<string, Repeated>()
  const withoutRow = leftOut()

  function leaveOut(happened: Happened, group: string): boolean {
    withoutRow.add(happened, group)
    return false
  }

  function admitsUser(happened: Happened): boolean {
    const { type, subject, clientId } = happened
    const group = `user ${subject ?? clientId} ${type}`
    return rows.take(group, OF_USER) || leaveOut(happened, group)
  }

  function admitsUnauthenticated(happened: Happened): boolean {
    const kind = [reasonOf(happened), happened.subject, happened.clientId, happened.network].join(' ')
    const known = repeated.get(kind)
    if (known !== undefined) known.more++
    else if (repeated.size >= OF_UNAUTHENTICATED || !rows.take(`reason ${reasonOf(happened)}`, OF_REASON))
      return leaveOut(happened, 'unauthenticated')
    else repeated.set(kind, { first: happened, more: 0 })
    return known === undefined
  }

  return {
    admits(happened, cause) {
      if (cause === 'unauthenticated') return admitsUnauthenticated(happened)
      return cause === 'user' ? admitsUser(happened) : true
    },
    counted() {
      const counted = [...repeated.values()].filter(({ more }) => more > 0)
      const withCount = counted.map(({ first, more }) => ({ ...first, count: more }))
      rows.reset()
      repeated = new Map()
      return [...withCount, ...withoutRow.take()]
    },
  }
}
