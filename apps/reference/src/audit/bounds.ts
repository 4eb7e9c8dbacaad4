import { type Happened, reasonOf } from './entry.ts'
import type { Cause } from './kept-events.ts'
import { leftOut } from './left-out.ts'

/**
 * How many rows a minute anybody can cause. Beyond that, entries are counted: no flood fills the disk, and one of one
 * reason hides no other.
 */

/** Rows in a minute for one type of one user. */
const OF_USER = 60
/** Clients and networks in a minute for one reason of a refusal, and for all reasons together. */
const OF_REASON = 3
const OF_STRANGERS = 20

/** Entries that differ in nothing that matters. */
interface Repeated {
  readonly first: Happened
  more: number
}

export interface Bounds {
  /** Whether the entry gets a row. Otherwise it is counted. */
  admits(happened: Happened, cause: Cause): boolean
  /** The rows of what was counted since the last call; everybody has room again. */
  counted(): Happened[]
}

export function boundsOfMinute(): Bounds {
  let rows = new Map<string, number>()
  let strangers = new Map<string, Repeated>()
  const withoutRow = leftOut()

  function room(group: string, most: number): boolean {
    const taken = rows.get(group) ?? 0
    if (taken < most) rows.set(group, taken + 1)
    return taken < most
  }

  function leaveOut(happened: Happened, group: string): boolean {
    withoutRow.add(happened, group)
    return false
  }

  function admitsUser(happened: Happened): boolean {
    const { type, subject, clientId } = happened
    const group = `user ${subject ?? clientId} ${type}`
    return room(group, OF_USER) || leaveOut(happened, group)
  }

  function admitsStranger(happened: Happened): boolean {
    const kind = [reasonOf(happened), happened.subject, happened.clientId, happened.network].join(' ')
    const known = strangers.get(kind)
    if (known !== undefined) known.more++
    else if (strangers.size >= OF_STRANGERS || !room(`reason ${reasonOf(happened)}`, OF_REASON))
      return leaveOut(happened, 'strangers')
    else strangers.set(kind, { first: happened, more: 0 })
    return known === undefined
  }

  return {
    admits(happened, cause) {
      if (cause === 'stranger') return admitsStranger(happened)
      return cause === 'user' ? admitsUser(happened) : true
    },
    counted() {
      const repeated = [...strangers.values()].filter(({ more }) => more > 0)
      const withCount = repeated.map(({ first, more }) => ({ ...first, count: more }))
      rows = new Map()
      strangers = new Map()
      return [...withCount, ...withoutRow.take()]
    },
  }
}
