/**
 * Pushed authorization requests (RFC 9126): a client sends its request directly, and gets a `request_uri` for the browser
 * to bring. The request is sealed in that URI. It stores nothing.
 */

import { z } from 'zod'
import { AuthorizationParameters } from '../authorization/authorization-request.ts'
import type { AuthorizationRequestSource } from '../authorization/request-source.ts'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import type { Feature, ServerContext } from '../feature.ts'
import { type HttpRequest, json } from '../http/http.ts'
import { text } from '../http/message.ts'
import type { Parameters } from '../http/parameters.ts'
import { endpointPath } from '../http/well-known.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { type SealingKeys, sealingKeys } from '../kernel/server-secret.ts'
import { openRequest, PURPOSE, sealRequest } from './sealed-request.ts'

/**
 * @example
 * ```ts
 * import { PAR_ERRORS } from '@grantkit/core/par'
 *
 * const { status } = PAR_ERRORS.pushed_request_too_long // 413
 * ```
 */
export const PAR_ERRORS = defineErrors({
  pushed_request_uri: ['invalid_request', 'request_uri must not be pushed (RFC 9126 2.1)'],
  pushed_request_too_long: ['invalid_request', 'The request is too long to be pushed', 413],
})

export interface PushedAuthorizationRequestsOptions {
  /** Whether every client must push. Default: those that register `require_pushed_authorization_requests`. */
  readonly required?: boolean | undefined
  /** Seconds from the push until the browser arrives, 5 to 599. Default 60. */
  readonly lifetime?: number | undefined
  /** The path below the issuer. Default `/api/oauth/par`. */
  readonly path?: string | undefined
}

/** Browsers and proxies refuse longer addresses. */
const MAX_URI_LENGTH = 6000
const MIN_LIFETIME = 5
const MAX_LIFETIME = 599

/** RFC 9126 6. */
const REQUIRE = 'require_pushed_authorization_requests'

/** RFC 9126 2.1. */
const PushedAuthorizationRequest = AuthorizationParameters.omit({ request_uri: true }).extend({
  redirect_uri: text().optional(),
})

/**
 * Lets clients push their authorization requests (RFC 9126). Nobody sees or changes one on its way through the browser.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { pushedAuthorizationRequests } from '@grantkit/core/par'
 *
 * const features = [pushedAuthorizationRequests()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function pushedAuthorizationRequests({
  required = false,
  lifetime = 60,
  path: given,
}: PushedAuthorizationRequestsOptions = {}): Feature {
  const path = endpointPath('par', given, '/api/oauth/par')
  if (!Number.isInteger(lifetime) || lifetime < MIN_LIFETIME || lifetime > MAX_LIFETIME)
    throw new Error(`pushedAuthorizationRequests: lifetime must be whole seconds from 5 to ${MAX_LIFETIME}`)
  return (server) => {
    const keys = sealingKeys(server.secret, PURPOSE)
    const requestSource: AuthorizationRequestSource = {
      lifetime,
      open: (requestUri) => openRequest(keys, requestUri),
      required: ({ featureMetadata }) => required || featureMetadata?.[REQUIRE] === true,
    }
    return {
      requestSource,
      clientEndpoints: [pushEndpoint({ server, keys, lifetime, path })],
      errors: PAR_ERRORS,
      metadata: required ? { [REQUIRE]: true } : {},
      clientMetadata: () => ({ [REQUIRE]: z.boolean().optional() }),
    }
  }
}

interface PushContext {
  readonly server: ServerContext
  readonly keys: SealingKeys
  readonly lifetime: number
  readonly path: string
}

function pushEndpoint(context: PushContext): ClientEndpoint {
  return {
    path: context.path,
    metadataName: 'pushed_authorization_request_endpoint',
    summary: 'Push an authorization request (RFC 9126 2)',
    message: PushedAuthorizationRequest,
    begin: (form) => (client, request) => push(context, { clientId: client.clientId, form, request, client }),
    answerUnapproved: (clientId, form, request) => push(context, { clientId, form, request }),
  }
}

interface Push {
  readonly clientId: string
  readonly form: Parameters
  readonly request: HttpRequest
  /** Absent if it is not known yet. */
  readonly client?: Client
}

function push({ server, keys, lifetime }: PushContext, { clientId, form, request, client }: Push) {
  if (form.request_uri !== undefined) throw new OAuthError(PAR_ERRORS.pushed_request_uri)
  const validated = server.validateRequest(
    { ...withoutCredentials(form), client_id: clientId },
    request,
    client,
  )
  const unapproved = client === undefined
  const pushed = { pushedAt: server.now(), clientId, query: encoded(validated), unapproved }
  const requestUri = sealRequest(keys, server.random, pushed)
  if (requestUri.length > MAX_URI_LENGTH) throw new OAuthError(PAR_ERRORS.pushed_request_too_long)
  return json(201, { request_uri: requestUri, expires_in: lifetime })
}

/** No secret goes through the browser, sealed or not. */
function withoutCredentials(form: Parameters): Parameters {
  const { client_secret: _, client_assertion: __, client_assertion_type: ___, ...asked } = form
  return asked
}

function encoded(given: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(given))
    for (const value of [values].flat()) query.append(name, value)
  return String(query)
}
