import { endedGrant } from '../grants/change-grant.ts'
import { revokeUserGrant } from '../grants/user-grants.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Approved } from './approval.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { completionOf } from './presented-request.ts'

export const DENIAL_ERRORS = defineErrors({
  consent_denied: ['access_denied', 'The user did not allow access'],
})

export interface ConsentDenied {
  readonly type: 'consent_denied'
  readonly clientId: string
  readonly subject: string
}

/**
 * Spends the ticket, so that it opens no grant. If it has opened one already, the user takes the approval back: the
 * grant ends.
 *
 * @throws OAuthError `access_denied`, always
 */
export async function deny(
  context: AuthorizationContext,
  { session: { subject }, ticket, target, requestUri }: Omit<Approved, 'request' | 'scopes'>,
): Promise<never> {
  const { kernel } = context
  const { store, now, emit } = kernel
  const { id, ticketEndsAt: end } = completionOf(context, ticket, requestUri)
  if (await store.grants.insert(id, endedGrant(id, now(), end), end))
    emit({ type: 'consent_denied', clientId: target.client.clientId, subject } satisfies ConsentDenied)
  else await revokeUserGrant(kernel, subject, id)
  throw new OAuthError(DENIAL_ERRORS.consent_denied)
}
