import * as z from 'zod'
import type { RegisteredBy } from '../clients/client-metadata.ts'
import { isLoopback, isRegistrableByOperator, withParameters } from '../clients/redirect-uri.ts'
import { listOf, type Parameters, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { type IdTokenHint, verifiedHint } from '../openid/id-token.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

export const LOGOUT_REQUEST_ERRORS = defineErrors({
  logout_hint_unverified: [
    'invalid_request',
    'The server cannot verify id_token_hint. Send its latest ID token',
  ],
  logout_hint_of_other_client: [
    'invalid_request',
    'id_token_hint was issued to another client than client_id. Send both of one client',
  ],
  logout_client_missing: [
    'invalid_request',
    'post_logout_redirect_uri needs id_token_hint or client_id. Send one of them',
  ],
  post_logout_redirect_uri_not_registered: [
    'invalid_request',
    'post_logout_redirect_uri is not registered for this client. Send a registered one',
  ],
})

const parameter = text().optional()

/** RP-Initiated Logout 2. */
export const LogoutParameters = z.object({
  id_token_hint: parameter,
  client_id: parameter,
  post_logout_redirect_uri: parameter,
  state: parameter,
  // A language that is not offered is no error, so a malformed list of them is none either.
  ui_locales: parameter.catch(undefined),
})

/** A valid request. Whether its hint is about the user of this browser is not checked yet. */
export interface LogoutRequest {
  readonly hint?: IdTokenHint | undefined
  readonly client?: Client | undefined
  /** Where the browser goes afterwards. Default: a page of this server. */
  readonly target?: string | undefined
}

/** @throws OAuthError to be shown as a page: an unverified hint must not be used (RP-Initiated Logout 4) */
export async function readLogoutRequest(
  kernel: Kernel,
  keys: SigningKeys,
  sent: Parameters,
): Promise<LogoutRequest> {
  const { id_token_hint, client_id, post_logout_redirect_uri, state } = readMessage(LogoutParameters, sent)
  const hintError = LOGOUT_REQUEST_ERRORS.logout_hint_unverified
  const hint =
    id_token_hint === undefined
      ? undefined
      : await verifiedHint(keys, kernel.issuer, id_token_hint, hintError)
  if (hint !== undefined && client_id !== undefined && hint.audience !== client_id)
    throw new OAuthError(LOGOUT_REQUEST_ERRORS.logout_hint_of_other_client)
  const clientId = hint?.audience ?? client_id
  const client = clientId === undefined ? undefined : await kernel.store.clients.find(clientId)
  if (post_logout_redirect_uri === undefined) return { hint, client }
  if (clientId === undefined) throw new OAuthError(LOGOUT_REQUEST_ERRORS.logout_client_missing)
  const target = postLogoutTarget(client, post_logout_redirect_uri, state)
  return { hint, client, target }
}

const MEMBER = 'post_logout_redirect_uris'
const uris = listOf(text(2048), 20)

/**
 * The client metadata `post_logout_redirect_uris` (RP-Initiated Logout 3.1). An operator may register https URIs. Of a client
 * that registers itself only the loopback URIs are kept, and the answer lists them.
 */
export function postLogoutMetadata(registeredBy: RegisteredBy) {
  const kept = uris.transform((sent) => sent.filter(isLoopback))
  const permitted = uris.refine(
    (sent) => sent.every(isRegistrableByOperator),
    'must be https, loopback or private-use URIs',
  )
  return { [MEMBER]: (registeredBy === 'client' ? kept : permitted).optional() }
}

/**
 * Where the browser goes afterwards, with the `state` of the request (RP-Initiated Logout 3).
 *
 * @throws OAuthError unless the client registered exactly this URI
 */
function postLogoutTarget(client: Client | undefined, uri: string, state: string | undefined): string {
  const registered = z.array(z.string()).safeParse(client?.featureMetadata?.[MEMBER]).data ?? []
  if (!registered.includes(uri))
    throw new OAuthError(LOGOUT_REQUEST_ERRORS.post_logout_redirect_uri_not_registered)
  return state === undefined ? uri : withParameters(uri, { state })
}
