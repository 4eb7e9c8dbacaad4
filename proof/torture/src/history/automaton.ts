import { windowOf } from './declared.ts'
import { expiryExplains, maySpend, refusesCredential } from './effect.ts'
import { isEarlyEnd, isKnownGood, isSureReplayOf } from './ends.ts'
import { isSpend, kindOf, lineOf } from './family.ts'
import type { Operation } from './operation.ts'
import type { Subject } from './rules/rule.ts'

/** What a correct server knows of one grant: which credentials are spent and by what, and whether the grant has ended. */
export interface State {
  readonly spent: ReadonlyMap<string, Operation>
  readonly revoked: ReadonlySet<string>
  readonly ended: boolean
  /** The end reached the access tokens too. */
  readonly endedForAccess: boolean
  /** The access token of the last refresh, `''` if it is unknown. A refresh may drop those before. Absent before the first. */
  readonly newest?: string | undefined
}

export const START: State = {
  spent: new Map(),
  revoked: new Set(),
  ended: false,
  endedForAccess: false,
}

/** The states after the operation. None if a correct server does not answer so in this state. */
export function statesAfter(subject: Subject, state: State, operation: Operation): readonly State[] {
  if (isSpend(operation)) return afterSpend(subject, state, operation)
  if (operation.f === 'revoke') return afterRevocation(subject, state, operation)
  if (operation.f === 'logout')
    return ends(state, operation, { sure: subject.declared.logoutEnds, access: false })
  if (operation.f === 'deny') return ends(state, operation, { sure: true, access: true })
  return agrees(subject, state, operation) ? [state] : []
}

type Spend = Operation & { readonly key: string }

function afterSpend(subject: Subject, state: State, operation: Spend): readonly State[] {
  if (operation.forbidden !== undefined) return [state, spend(subject, state, operation), end(state, false)]
  if (operation.result === 'ok') return afterSuccess(subject, state, operation)
  if (operation.result === 'info')
    return [...afterSuccess(subject, state, operation), ...afterReplay(subject, state, operation)]
  if (!refusesCredential(operation)) return [state]
  if (state.ended || state.revoked.has(operation.key)) return [state]
  const replayed = afterReplay(subject, state, operation)
  if (replayed.length > 0) return replayed
  return !isKnownGood(subject, operation) || expiryExplains(subject, operation) ? [state] : []
}

function afterSuccess(subject: Subject, state: State, operation: Spend): readonly State[] {
  if (state.ended || state.revoked.has(operation.key)) return []
  const spender = state.spent.get(operation.key)
  if (spender === undefined) return [spend(subject, state, operation)]
  return operation.result === 'ok' && repeats(subject, state, operation, spender)
    ? [refreshedBy(state, operation)]
    : []
}

/** Whether the answer to a spent refresh token is one that `same-pair` or `overlap` declares, or to a spent device code. */
function repeats({ declared }: Subject, state: State, operation: Operation, spender: Operation): boolean {
  const { f } = operation
  if (f === 'poll' && declared.rotation !== 'same-pair') return false
  if ((f !== 'refresh' && f !== 'poll') || declared.rotation === 'strict') return false
  if (spender.result !== 'ok') return true
  const { most, late } = windowOf(declared)
  const until = state.spent.has(spender.refresh ?? '') ? most : late
  if (operation.invoked > spender.returned + until) return false
  return declared.rotation !== 'same-pair' || spender.refresh === operation.refresh
}

/** A spent credential again. It ends the grant for sure only where the server could know of the first use. */
function afterReplay(subject: Subject, state: State, operation: Spend): readonly State[] {
  const spender = state.spent.get(operation.key)
  if (spender === undefined || !isRefusable(subject, state, { operation, spender })) return []
  const ended = end(state, operation.f === 'redeem')
  return isSureReplayOf(subject, operation, spender) ? [ended] : [state, end(state, false), ended]
}

function isRefusable(
  { declared }: Subject,
  state: State,
  { operation, spender }: { readonly operation: Operation; readonly spender: Operation },
): boolean {
  const { sure } = windowOf(declared)
  if (operation.f !== 'refresh' || sure === 0 || operation.result === 'info' || spender.result === 'fail')
    return true
  if (operation.returned >= spender.invoked + sure) return true
  return declared.rotation === 'same-pair' && state.spent.has(spender.refresh ?? '')
}

function afterRevocation(subject: Subject, state: State, operation: Operation): readonly State[] {
  const { key, result } = operation
  if (result === 'fail' || key === undefined) return [state]
  const whole = subject.declared.revocationEnds === 'family' && kindOf(subject.family, key) === 'refresh'
  if (whole) return [end(state, true)]
  const revoked = { ...state, revoked: new Set([...state.revoked, key]) }
  return [revoked, end(revoked, false), end(revoked, true)]
}

function ends(
  state: State,
  { result }: Operation,
  { sure, access }: { readonly sure: boolean; readonly access: boolean },
): readonly State[] {
  if (result === 'fail') return [state]
  const ended = access ? [end(state, true)] : [end(state, false), end(state, true)]
  return sure && result === 'ok' ? ended : [state, ...ended]
}

/** Whether an answer about a token, which changes nothing, fits the state. */
function agrees(subject: Subject, state: State, operation: Operation): boolean {
  const { f, key = '', active, result } = operation
  if (f === 'exchange') return result !== 'ok' || isActive(subject, state, operation)
  if (f !== 'use' && f !== 'introspect') return true
  if (active === true) return isActive(subject, state, operation)
  const isDropped = state.newest !== undefined && state.newest !== key
  const isRevoked = lineOf(subject.family, key).some((credential) => state.revoked.has(credential))
  return state.ended || isDropped || isRevoked || !isEarlyEnd(subject, operation)
}

function isActive({ family, declared }: Subject, state: State, { f, key = '' }: Operation): boolean {
  // The search has an order but no clock, so it cannot tell how old an answer of a cache is.
  if (f === 'use' && (declared.cacheSeconds ?? 0) > 0) return true
  const byGrant = kindOf(family, key) === 'refresh' || declared.revocationEnds === 'family'
  return !state.revoked.has(key) && !(byGrant && state.endedForAccess)
}

function spend({ declared }: Subject, state: State, operation: Spend): State {
  const { newest } = refreshedBy(state, operation)
  if (!maySpend(operation, declared) || state.spent.has(operation.key)) return { ...state, newest }
  return { ...state, newest, spent: new Map([...state.spent, [operation.key, operation]]) }
}

function refreshedBy(state: State, { f, access = '' }: Operation): State {
  return f === 'refresh' ? { ...state, newest: access } : state
}

function end(state: State, endedForAccess: boolean): State {
  return { ...state, ended: true, endedForAccess: state.endedForAccess || endedForAccess }
}
