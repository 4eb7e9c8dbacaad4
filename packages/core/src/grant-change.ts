import { OAuthError, type Reason } from './oauth-error.ts'
import { keptUntil, type Outcome } from './rules/grant.ts'
import type { ServerContext } from './server-context.ts'
import type { Grant, Stored } from './store.ts'
import { grantIdOf } from './tokens/token-string.ts'

/** More lost races than this on one grant is an attack or a fault, not a busy client. */
const MOST_ATTEMPTS = 16

/** A grant that is being read while the client is that presents a credential of it. */
export interface GrantAhead {
  readonly grantId: string
  readonly found: Promise<Stored<Grant> | undefined>
}

/**
 * Begins to read the grant that a credential names, so that it comes in the same round trip to the store as the
 * client that presents it.
 */
export function readAhead(server: ServerContext, credential: string): GrantAhead | undefined {
  const grantId = grantIdOf(credential)
  if (grantId === undefined) return undefined
  const found = server.store.grants.find(grantId)
  // Whoever awaits it hears of its failure; nobody does when the client is refused first.
  found.catch(() => {})
  return { grantId, found }
}

/**
 * Carries out one transition of a grant: read it, ask the rule, write it if nobody else wrote meanwhile, else
 * start again. Exactly one of any number of concurrent calls gets to write a given state.
 *
 * @param ahead the first look at the grant, if it has been begun
 * @returns `undefined` when there is no such grant
 * @throws OAuthError `temporarily_unavailable` when the grant is too contended; nothing was written then
 */
export async function changeGrant<Result>(
  server: ServerContext,
  grantId: string,
  transition: (grant: Grant) => Outcome<Result>,
  ahead?: GrantAhead,
): Promise<Outcome<Result> | undefined> {
  const { grants } = server.store
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const seen = await (attempt === 0 && ahead?.grantId === grantId ? ahead.found : grants.find(grantId))
    if (seen === undefined) return undefined
    const outcome = transition(seen.value)
    if (outcome.kind === 'ended') await endGrant(server, seen.value, outcome.reason)
    if (outcome.kind !== 'changed') return outcome
    if (await grants.replace(grantId, seen, outcome.grant, keptUntil(outcome.grant))) return outcome
  }
  throw new OAuthError('contention')
}

/** A transition that was allowed. @throws OAuthError for one that was not */
export function allowed<Result>(
  outcome: Outcome<Result> | undefined,
  unknownGrant: Reason,
): { readonly grant: Grant; readonly result: Result } {
  if (outcome === undefined) throw new OAuthError(unknownGrant)
  if (outcome.kind === 'refused' || outcome.kind === 'ended') throw new OAuthError(outcome.reason)
  return outcome
}

async function endGrant(server: ServerContext, grant: Grant, reason: Reason): Promise<void> {
  await server.store.grants.remove(grant.id)
  server.onEvent({ type: 'grant_ended', grantId: grant.id, clientId: grant.clientId, reason })
}
