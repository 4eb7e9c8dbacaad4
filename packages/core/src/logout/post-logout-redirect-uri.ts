import { z } from 'zod'
import type { RegisteredBy } from '../clients/client-metadata.ts'
import { isLoopback, isStaticRedirectUri, withParameters } from '../clients/redirect-uri.ts'
import { listOf, text } from '../http/message.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'

export const POST_LOGOUT_ERRORS = defineErrors({
  post_logout_redirect_uri_not_registered: [
    'invalid_request',
    'post_logout_redirect_uri is not one that the client registered',
  ],
})

const MEMBER = 'post_logout_redirect_uris'
const uris = listOf(text(2048), 20)

/**
 * What clients register (RP-Initiated Logout 3.1). An operator vouches for https; of what a client registers itself, only
 * loopback addresses are kept, and the answer shows them.
 */
export function postLogoutMetadata(registeredBy: RegisteredBy) {
  const kept = uris.transform((given) => given.filter(isLoopback))
  const vouchedFor = uris.refine(
    (given) => given.every(isStaticRedirectUri),
    'must be https, loopback or private-use URIs',
  )
  return { [MEMBER]: (registeredBy === 'client' ? kept : vouchedFor).optional() }
}

/**
 * Where the browser goes afterwards, with the `state` of the request (RP-Initiated Logout 3).
 *
 * @throws OAuthError unless the client registered exactly this URI; nobody's URI is never a target
 */
export function postLogoutTarget(client: Client | undefined, uri: string, state: string | undefined): string {
  const registered = z.array(z.string()).safeParse(client?.featureMetadata?.[MEMBER]).data ?? []
  if (!registered.includes(uri))
    throw new OAuthError(POST_LOGOUT_ERRORS.post_logout_redirect_uri_not_registered)
  return state === undefined ? uri : withParameters(uri, { state })
}
