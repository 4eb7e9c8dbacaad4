import { AuthorizationParameters, type OpenedRequest } from '../../authorization/authorization-request.ts'
import type { ServerContext } from '../../feature.ts'
import type { HttpRequest } from '../../http/http.ts'
import { type Parameters, text } from '../../http/message.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { openText, type Random, type SealingKeys, sealText } from '../../kernel/secrets.ts'
import { optionalProofKey } from '../../tokens/proof-of-possession.ts'

/**
 * @example
 * ```ts
 * import { PAR_ERRORS } from '@grantkit/core/par'
 *
 * const { status } = PAR_ERRORS.pushed_request_too_long // 413
 * ```
 */
export const PAR_ERRORS = defineErrors({
  ...withCode('invalid_request', {
    pushed_request_uri: 'request_uri must not be pushed (RFC 9126 2.1). Push the parameters themselves',
    pushed_keys_differ: 'dpop_jkt differs from the key of the DPoP proof. Use one key, or leave out dpop_jkt',
  }),
  pushed_request_too_long: [
    'invalid_request',
    'The pushed request is too long. Send fewer scopes or a shorter state',
    413,
  ],
})

/** RFC 9126 2.1. */
export const PushedAuthorizationRequest = AuthorizationParameters.omit({ request_uri: true }).extend({
  redirect_uri: text().optional(),
})

/** Browsers and proxies refuse longer addresses. */
const MAX_URI_LENGTH = 6000

export interface Push {
  readonly clientId: string
  readonly form: Parameters
  readonly request: HttpRequest
  /** Absent if its metadata document is not fetched yet. */
  readonly client?: Client | undefined
  /** Epoch seconds. */
  readonly now: number
}

/** Validates a request as if the browser had brought it. @returns its `request_uri` */
export async function pushedUri(
  server: ServerContext,
  keys: SealingKeys,
  { clientId, form, request, client, now }: Push,
): Promise<string> {
  if (form.request_uri !== undefined) throw new OAuthError(PAR_ERRORS.pushed_request_uri)
  const sent = { ...withoutCredentials(form), client_id: clientId }
  // A push may prove the key that the code is bound to, instead of naming it (RFC 9449 10.1).
  const bind = (given: Parameters, opened?: OpenedRequest) => {
    const dpop_jkt = optionalProofKey(server.senderConstraint, request, client)?.thumbprint
    if (dpop_jkt === undefined) return given
    if (given.dpop_jkt !== undefined && given.dpop_jkt !== dpop_jkt)
      throw new OAuthError(PAR_ERRORS.pushed_keys_differ)
    // What a public client signed, any caller can push: the key of that caller is not the key of the client.
    return opened && client?.tokenEndpointAuthMethod === 'none' ? given : { ...given, dpop_jkt }
  }
  const { parameters, opened } = await server.validateRequest(sent, bind, now, client)
  const unapproved = client === undefined
  const pushed = { pushedAt: now, clientId, query: encoded(parameters), unapproved, object: opened }
  const requestUri = sealRequest(keys, server.random, pushed)
  if (requestUri.length > MAX_URI_LENGTH) throw new OAuthError(PAR_ERRORS.pushed_request_too_long)
  opened?.accepted?.(request, { authenticated: !unapproved && client.tokenEndpointAuthMethod !== 'none' })
  server.observer?.report({ fact: 'authorization_requested', parameters, client }, request)
  return requestUri
}

/** Client credentials never travel through the browser, not even encrypted. */
function withoutCredentials(form: Parameters): Parameters {
  const { client_secret: _, client_assertion: __, client_assertion_type: ___, ...authorization } = form
  return authorization
}

function encoded(form: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(form))
    for (const value of [values].flat()) query.append(name, value)
  return String(query)
}

/** An authorization request that a client sent directly, before the browser. */
interface PushedRequest {
  readonly clientId: string
  /** Its parameters, `application/x-www-form-urlencoded`. */
  readonly query: string
  /** Epoch seconds. */
  readonly pushedAt: number
  /** The client was not known when it pushed: neither its credentials nor its request were checked. */
  readonly unapproved?: boolean | undefined
  /** The request object that was pushed. It may also come without a push, and has one answer all the same. */
  readonly object?: Pick<OpenedRequest, 'name' | 'nameExpiresAt'> | undefined
}

/** RFC 9126 2.2. */
const URN = 'urn:ietf:params:oauth:request_uri:'
/** The purpose of the keys that encrypt requests. */
export const PURPOSE = 'pushed authorization requests'

/** A `request_uri` that contains the encrypted request. Nothing is stored, so pushing cannot fill the store. */
export function sealRequest(keys: SealingKeys, random: Random, request: PushedRequest): string {
  const { pushedAt, clientId, query, unapproved = false, object } = request
  const named = object ? [object.name, object.nameExpiresAt] : []
  return URN + sealText(keys, random, JSON.stringify([pushedAt, clientId, query, unapproved, ...named]))
}

/** The request in a `request_uri` of this server; otherwise `undefined`. */
export function openRequest(keys: SealingKeys, requestUri: string): PushedRequest | undefined {
  const text = requestUri.startsWith(URN) ? openText(keys, requestUri.slice(URN.length)) : undefined
  if (text === undefined) return undefined
  const [pushedAt, clientId, query, unapproved, name, nameExpiresAt] = JSON.parse(text)
  return { pushedAt, clientId, query, unapproved, ...(name && { object: { name, nameExpiresAt } }) }
}
