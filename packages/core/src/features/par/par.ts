/**
 * Pushed authorization requests (RFC 9126): a client sends its authorization request directly and gets a `request_uri` for
 * the browser. The encrypted request is part of that URI, so nothing is stored.
 */
import * as z from 'zod'
import type { AuthorizationRequestSource } from '../../authorization/authorization-request.ts'
import type { ClientEndpoint } from '../../clients/client-endpoint.ts'
import type { Feature } from '../../feature.ts'
import { endpointPath } from '../../http/endpoint.ts'
import { type HttpRequest, json } from '../../http/http.ts'
import type { Parameters } from '../../http/message.ts'
import { wholeSeconds } from '../../kernel/kernel.ts'
import type { Client } from '../../kernel/records.ts'
import { sealingKeys } from '../../kernel/secrets.ts'
import { openRequest, PAR_ERRORS, PURPOSE, PushedAuthorizationRequest, pushedUri } from './pushed-request.ts'

export { PAR_ERRORS } from './pushed-request.ts'

export interface PushedAuthorizationRequestsOptions {
  /** Whether every client must push. Default: the clients that register `require_pushed_authorization_requests`. */
  readonly required?: boolean | undefined
  /** Lifetime of a `request_uri` until the browser uses it, in seconds, from 5 to 599. Default 60. */
  readonly lifetime?: number | undefined
  /** The path below the issuer. Default `/api/oauth/par`. */
  readonly path?: string | undefined
}

/** RFC 9126 6. */
const REQUIRE = 'require_pushed_authorization_requests'

/**
 * Accepts pushed authorization requests (RFC 9126). The browser can neither read nor change such a request.
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
  path: configuredPath,
}: PushedAuthorizationRequestsOptions = {}): Feature {
  const path = endpointPath('par', configuredPath, '/api/oauth/par')
  wholeSeconds('pushedAuthorizationRequests: lifetime', lifetime, 5, 599)
  return (server) => {
    const keys = sealingKeys(server.secret, PURPOSE)
    const source: AuthorizationRequestSource = {
      lifetime,
      open: (requestUri) => openRequest(keys, requestUri),
      required: ({ featureMetadata }) => required || featureMetadata?.[REQUIRE] === true,
    }
    const push = (clientId: string, form: Parameters, request: HttpRequest, client?: Client) => {
      const requestUri = pushedUri(server, keys, { clientId, form, request, client })
      return json(201, { request_uri: requestUri, expires_in: lifetime })
    }
    const endpoint: ClientEndpoint = {
      path,
      metadataName: 'pushed_authorization_request_endpoint',
      summary: 'Push an authorization request (RFC 9126 2)',
      message: PushedAuthorizationRequest,
      begin: (form) => (client, request) => push(client.clientId, form, request, client),
      answerUnapproved: push,
    }
    return {
      requestSources: [source],
      clientEndpoints: [endpoint],
      errors: PAR_ERRORS,
      metadata: required ? { [REQUIRE]: true } : {},
      clientMetadata: () => ({ [REQUIRE]: z.boolean().optional() }),
    }
  }
}
