import type { Kernel } from '../kernel/kernel.ts'
import { type ErrorDefinition, OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Grant, Transient } from '../kernel/records.ts'
import type { GrantId } from '../kernel/secrets.ts'
import type { GrantRecords, Stored } from '../kernel/store.ts'
import { grantIdOf } from '../tokens/credential.ts'
import { type GrantEnded, keptUntil, type Outcome } from './grant.ts'
import { endGrant } from './grant-end.ts'
import { hasSignedTokens, logRevoked } from './revoked-tokens.ts'

/** More lost races than this on one grant mean an attack or a fault, not a busy client. */
const MAX_ATTEMPTS = 16

/** A grant that is loaded in parallel with the client that presents its credential. */
export interface PrefetchedGrant {
  readonly grantId: GrantId
  readonly found: Promise<Stored<Grant> | undefined>
  /** What the grant type keeps beside the grant, if it does. */
  readonly transient?: Promise<Stored<Transient> | undefined> | undefined
}

/** Starts to read the grant that a credential names, so that it shares one round trip to the store with the client. */
export function prefetch(
  grants: GrantRecords,
  credential: unknown,
  idOf: (text: string) => GrantId | undefined = grantIdOf,
): PrefetchedGrant | undefined {
  const grantId = typeof credential === 'string' ? idOf(credential) : undefined
  if (grantId === undefined) return undefined
  const found = grants.find(grantId)
  // The caller that awaits it gets the error. If the client is refused first, nobody awaits it.
  found.catch(() => {})
  return { grantId, found }
}

/** Decides what becomes of a grant; it may ask somebody before it does. */
export type Transition<Result> = (grant: Grant) => Outcome<Result> | Promise<Outcome<Result>>

/** The outcome of an allowed transition. */
export type Allowed<Result> = Exclude<Outcome<Result>, { kind: 'ended' }>

/**
 * Carries out one transition of a grant: read it, ask the rule, write it if it is unchanged, otherwise start again. Of
 * several concurrent calls, exactly one writes a given state.
 *
 * @param prefetched the first read of the grant, if it has started
 * @returns `undefined` when there is no such grant
 * @throws OAuthError the refusal of the rule; `temporarily_unavailable` when the grant is too contended, and then
 *   nothing was written
 *
 * @example
 * ```ts
 * import { changeGrant, type GrantId, type Kernel } from '@grantkit/core'
 *
 * // Takes a scope away from a grant: the transition of a feature.
 * export const withoutScope = (kernel: Kernel, grantId: GrantId, name: string) =>
 *   changeGrant(kernel, grantId, (grant) => {
 *     const scopes = grant.scopes.filter((scope) => scope !== name)
 *     return { kind: 'changed', grant: { ...grant, scopes }, result: scopes }
 *   })
 * ```
 */
export async function changeGrant<Result>(
  kernel: Kernel,
  grantId: GrantId,
  transition: Transition<Result>,
  prefetched?: PrefetchedGrant,
): Promise<Allowed<Result> | undefined> {
  const { grants } = kernel.store
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const seen = await (attempt === 0 && prefetched?.grantId === grantId
      ? prefetched.found
      : grants.find(grantId))
    if (seen === undefined) return undefined
    const decided = transition(seen.value)
    const outcome = decided instanceof Promise ? await decided : decided
    if (outcome.kind === 'unchanged') return outcome
    if (outcome.kind === 'ended') return refuseEnded(kernel, seen, outcome.refusal)
    if (hasSignedTokens(seen.value)) await logRevoked(kernel, seen.value, outcome.grant)
    if (await grants.replace(grantId, seen, outcome.grant, keptUntil(outcome.grant))) return outcome
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}

async function refuseEnded(kernel: Kernel, seen: Stored<Grant>, refusal: ErrorDefinition): Promise<never> {
  const { id: grantId, clientId, subject } = seen.value
  const { reason } = refusal
  if (await endGrant(kernel, seen))
    kernel.emit({ type: 'grant_ended', grantId, clientId, subject, reason } satisfies GrantEnded)
  throw new OAuthError(refusal)
}
