import { type Declared, skewOf, windowOf } from './declared.ts'
import { type Family, isSpend } from './family.ts'
import type { Operation } from './operation.ts'

/** A family and what its server declares: what a rule judges. */
export interface Case {
  readonly family: Family
  readonly declared: Declared
  /** By credential, the operations that can have spent it. */
  readonly spenders: ReadonlyMap<string, readonly Operation[]>
  /** By credential, when its first revocation was sent. */
  readonly revokedFrom: ReadonlyMap<string, number>
}

export function caseOf(family: Family, declared: Declared): Case {
  const spenders = new Map<string, readonly Operation[]>()
  for (const [key, rivals] of family.spends)
    spenders.set(
      key,
      rivals.filter((rival) => maySpend(rival, declared)),
    )
  return { family, declared, spenders, revokedFrom: revokedFrom(family) }
}

function revokedFrom({ operations }: Family): ReadonlyMap<string, number> {
  const from = new Map<string, number>()
  for (const { f, key, result, invoked } of operations)
    if (f === 'revoke' && key !== undefined && result !== 'fail' && !from.has(key)) from.set(key, invoked)
  return from
}

/** Whether a refusal can come from a revocation of the credential itself. */
export function revocationExplains(subject: Case, { key = '', returned }: Operation): boolean {
  return (subject.revokedFrom.get(key) ?? Number.POSITIVE_INFINITY) < returned
}

/** Errors about the request, the client or the server. They say nothing about the credential. */
const ELSEWHERE = new Set([
  'authorization_pending',
  'invalid_client',
  'invalid_dpop_proof',
  'invalid_scope',
  'invalid_target',
  'server_error',
  'slow_down',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_token_type',
  'use_dpop_nonce',
])

/** Whether the server refused the credential itself: it is spent, expired, ended or unknown. */
export function refusesCredential({ result, status, error }: Operation): boolean {
  if (result !== 'fail' || status === 429 || status === 503) return false
  return error === undefined || !ELSEWHERE.has(error)
}

/** Whether it can have spent its credential. A server may burn a code at a wrong verifier. */
export function maySpend(operation: Operation, { rotation }: Declared): boolean {
  if (!isSpend(operation) || (operation.f === 'refresh' && rotation === 'none')) return false
  return operation.result !== 'fail' || operation.forbidden !== undefined
}

/** The other operations that can have spent the credential of this one before it was answered. */
export function spendersBefore({ spenders }: Case, operation: Operation): Operation[] {
  const rivals = spenders.get(operation.key ?? '') ?? []
  return rivals.filter((rival) => rival !== operation && rival.invoked < operation.returned)
}

const LATE_MS = 5_000

/** A request without an answer can still be on its way: each use of its credential meanwhile can have come before it. */
export function arrivingLate(operation: Operation): Operation {
  const { result, status, returned } = operation
  return result === 'info' && status === undefined
    ? { ...operation, returned: returned + LATE_MS }
    : operation
}

/** Whether a successor of the credential can have been used before this moment. */
export function successorUsed({ family }: Case, { refresh }: Operation, before: number): boolean {
  const uses = family.spends.get(refresh ?? '') ?? []
  return uses.some(({ result, invoked }) => result !== 'fail' && invoked < before)
}

/**
 * Whether a refusal can come from the fact that its credential was spent before. Within the window of `same-pair` and
 * `overlap` a spent refresh token still has to be answered.
 */
export function spentExplains(subject: Case, refusal: Operation, spender: Operation): boolean {
  const { sure } = windowOf(subject.declared)
  if (refusal.f !== 'refresh' || sure === 0 || spender.result === 'fail') return true
  if (refusal.returned >= spender.invoked + sure) return true
  return subject.declared.rotation === 'same-pair' && successorUsed(subject, spender, refusal.returned)
}

const RFC_CODE_SECONDS = 600
const UNKNOWN_CODE_SECONDS = 30

/** When the code or access token ends, at the earliest and at the latest. `undefined` if nothing is known. */
export function expiryOf(
  { family, declared }: Case,
  key: string,
): { readonly earliest: number; readonly latest: number } | undefined {
  const issue = family.issues.get(key)
  if (issue === undefined || issue.kind === 'refresh') return undefined
  const { invoked, returned, expiresIn } = issue.operation
  if (expiresIn === undefined && issue.kind === 'access') return undefined
  return {
    earliest: invoked + (expiresIn ?? UNKNOWN_CODE_SECONDS) * 1_000 - skewOf(declared),
    latest: returned + (expiresIn ?? RFC_CODE_SECONDS) * 1_000 + skewOf(declared),
  }
}

/** Whether a refusal can come from the end of a lifetime. */
export function expiryExplains(subject: Case, operation: Operation): boolean {
  const expiry = expiryOf(subject, operation.key ?? '')
  return expiry !== undefined && operation.returned >= expiry.earliest
}
