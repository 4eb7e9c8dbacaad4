import { windowOf } from './declared.ts'
import {
  arrivingLate,
  type Case,
  expiryExplains,
  expiryOf,
  refusesCredential,
  revocationExplains,
  spendersBefore,
  spentExplains,
} from './effect.ts'
import { isSpend, kindOf } from './family.ts'
import type { Operation } from './operation.ts'
import { mayBeReplaced } from './replaced.ts'

export type EndCause = 'revoke' | 'logout' | 'deny' | 'replay' | 'gone'

/** An operation that ends the grant, from its answer on at the latest. */
export interface End {
  readonly cause: EndCause
  readonly operation: Operation
}

/** When and by what a grant ended: a tombstone that is written once. */
export interface Ends {
  /** The first end that the server answered for. Nothing may be issued to a request that is sent after its answer. */
  readonly sure: End | undefined
  /**
   * The first end that reaches access tokens too: a revocation, a denial or the replay of a code. After a replay of a
   * refresh token or a logout they may live until they expire (RFC 9700 section 4.14.2 names the refresh token only).
   */
  readonly sureForAccess: End | undefined
  /** From when the grant can have ended: it explains each refusal that is answered later. */
  readonly possibleFrom: number
}

export function endsOf(subject: Case): Ends {
  const known: End[] = []
  const possible: Possible[] = []
  for (const operation of subject.family.operations) {
    const cause = sureCause(subject, operation)
    if (cause !== undefined) known.push({ cause, operation })
    const from = possibleEnd(subject, operation)
    if (from < Number.POSITIVE_INFINITY) possible.push({ operation, from })
  }
  possible.sort((a, b) => a.from - b.from)
  const possibleFrom = possible[0]?.from ?? Number.POSITIVE_INFINITY
  known.push(...witnessesOf(subject, possibleFrom))
  const strong = known.filter((end) => reachesAccess(end, possible))
  return { sure: earliest(known), sureForAccess: earliest(strong), possibleFrom }
}

interface Possible {
  readonly operation: Operation
  readonly from: number
}

/** The replay of a code reaches the access tokens, unless something else can have ended the grant before. */
function reachesAccess({ cause, operation }: End, possible: readonly Possible[]): boolean {
  if (cause === 'revoke' || cause === 'deny') return true
  const other = possible.find((end) => end.operation !== operation)
  return (
    cause === 'replay' &&
    operation.f === 'redeem' &&
    (other === undefined || other.from >= operation.returned)
  )
}

function earliest(ends: readonly End[]): End | undefined {
  return ends.reduce<End | undefined>(
    (first, end) => (first !== undefined && first.operation.returned <= end.operation.returned ? first : end),
    undefined,
  )
}

function sureCause(subject: Case, operation: Operation): EndCause | undefined {
  const { declared, family } = subject
  const { f, result, key, forbidden } = operation
  if (forbidden !== undefined) return undefined
  if (f === 'logout') return result === 'ok' && declared.logoutEnds ? 'logout' : undefined
  if (f === 'deny') return result === 'ok' ? 'deny' : undefined
  if (f !== 'revoke') return isSureReplay(subject, operation) ? 'replay' : undefined
  if (result !== 'ok' || key === undefined || declared.revocationEnds === 'token') return undefined
  return kindOf(family, key) === 'refresh' ? 'revoke' : undefined
}

/** A replay that was sent after its credential was spent. One that races with the first use may go unnoticed. */
function isSureReplay(subject: Case, operation: Operation): boolean {
  if (!refusesCredential(operation) || !isSpend(operation) || revocationExplains(subject, operation))
    return false
  return spendersBefore(subject, operation).some((spender) => isSureReplayOf(subject, operation, spender))
}

export function isSureReplayOf(subject: Case, operation: Operation, spender: Operation): boolean {
  const { declared } = subject
  if (operation.result !== 'fail' || operation.f === 'poll' || spender.result !== 'ok') return false
  const ends = operation.f === 'refresh' ? declared.replayEndsFamily : declared.codeReplayEndsFamily
  if (!ends || isForgotten(subject, operation)) return false
  if (operation.f !== 'refresh') return spender.returned < operation.invoked
  const isInWindow = spender.returned + windowOf(declared).most >= operation.invoked
  return !isInWindow && !mayBeReplaced(subject, operation, spender)
}

/** A server may forget a spent code when its lifetime is over. */
function isForgotten(subject: Case, { f, key, invoked }: Operation): boolean {
  const expiry = f === 'redeem' ? expiryOf(subject, key ?? '') : undefined
  return expiry !== undefined && invoked >= expiry.earliest
}

/** From when this operation can have ended the grant, by its effect or as a replay. */
function possibleEnd(subject: Case, operation: Operation): number {
  const { f, result, invoked, forbidden } = operation
  if (f === 'revoke' || f === 'logout' || f === 'deny')
    return result === 'fail' ? Number.POSITIVE_INFINITY : invoked
  if (!isSpend(operation)) return Number.POSITIVE_INFINITY
  if (forbidden !== undefined) return invoked
  if (result === 'ok' || (result === 'fail' && !refusesCredential(operation))) return Number.POSITIVE_INFINITY
  const seen = arrivingLate(operation)
  const before = spendersBefore(subject, seen).filter(
    (rival) => rival.id !== operation.id && spentExplains(subject, seen, rival),
  )
  return before.reduce(
    (from, rival) => Math.min(from, Math.max(invoked, rival.invoked)),
    Number.POSITIVE_INFINITY,
  )
}

/** Refusals that only the end of the grant explains: they are its witnesses. What is gone stays gone. */
function witnessesOf(subject: Case, possibleFrom: number): End[] {
  const { operations } = subject.family
  const witnesses = operations.filter(
    (operation) =>
      possibleFrom < operation.returned &&
      !revocationExplains(subject, operation) &&
      isUnexplained(subject, operation),
  )
  return witnesses.map((operation) => ({ cause: 'gone', operation }))
}

/** Whether the credential was refused though nothing but the end of the grant can be the reason. */
export function isUnexplained(subject: Case, operation: Operation): boolean {
  if (!isSpend(operation) || operation.forbidden !== undefined || !refusesCredential(operation)) return false
  if (!isKnownGood(subject, operation)) return false
  const spent = spendersBefore(subject, operation).some((spender) =>
    spentExplains(subject, operation, spender),
  )
  return !spent && !expiryExplains(subject, operation)
}

/** Whether the credential surely worked when the request was sent: it was issued, or used, before. */
export function isKnownGood({ family }: Case, operation: Operation & { readonly key: string }): boolean {
  const issue = family.issues.get(operation.key)
  if (issue !== undefined)
    return issue.operation.result === 'ok' && issue.operation.returned <= operation.invoked
  const uses = family.spends.get(operation.key) ?? []
  return uses.some(({ result, returned }) => result === 'ok' && returned <= operation.invoked)
}

/** Whether an access token was inactive before its time. A refresh or the end of its grant can still be the reason. */
export function isEarlyEnd(subject: Case, operation: Operation): boolean {
  const { key = '', f, active, result, forbidden } = operation
  if ((f !== 'use' && f !== 'introspect') || forbidden !== undefined || result === 'info') return false
  // Without a word on the token it can be the caller that was refused.
  if (active !== false) return false
  const issue = subject.family.issues.get(key)
  if (issue?.kind !== 'access' || issue.operation.result !== 'ok') return false
  return issue.operation.returned <= operation.invoked && !expiryExplains(subject, operation)
}
