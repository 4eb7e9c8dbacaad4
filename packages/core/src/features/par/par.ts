/**
 * Pushed authorization requests (RFC 9126): a client sends its authorization request directly and gets a `request_uri` for
 * the browser. The encrypted request is part of that URI, so nothing is stored.
 */
import * as z from 'zod'
import type { AuthorizationRequestSource } from '../../authorization/authorization-request.ts'
import { PUSHED_ERRORS, RequestSources } from '../../authorization/presented-request.ts'
import type { ClientEndpoint } from '../../clients/client-endpoint.ts'
import type { Feature } from '../../feature.ts'
import { endpointPath } from '../../http/endpoint.ts'
import { json } from '../../http/http.ts'
import { parameters } from '../../http/message.ts'
import { wholeSeconds } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { sealingKeys } from '../../kernel/secrets.ts'
import {
  openRequest,
  PAR_ERRORS,
  PURPOSE,
  type Push,
  PushedAuthorizationRequest,
  pushedUri,
} from './pushed-request.ts'

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
      parameter: 'request_uri',
      open(requestUri, ofClient) {
        const pushed = openRequest(keys, requestUri)
        if (pushed === undefined) return undefined
        const { clientId, query, pushedAt, unapproved, object } = pushed
        if (clientId !== ofClient) throw new OAuthError(PUSHED_ERRORS.request_uri_of_other_client)
        return {
          parameter: 'request_uri',
          sent: parameters(query),
          name: object?.name ?? requestUri,
          expiresAt: pushedAt + lifetime,
          nameExpiresAt: object?.nameExpiresAt,
          proven: unapproved !== true,
          errors: {
            expired: PUSHED_ERRORS.request_uri_expired,
            spent: PUSHED_ERRORS.request_uri_spent,
          },
        }
      },
      refusal({ featureMetadata, tokenEndpointAuthMethod }, opened) {
        if (!required && featureMetadata?.[REQUIRE] !== true) return undefined
        if (opened?.parameter !== 'request_uri') return PUSHED_ERRORS.request_not_pushed
        // A push without authentication counts as a plain request.
        const isProven = opened.proven || tokenEndpointAuthMethod === 'none'
        return isProven ? undefined : PUSHED_ERRORS.pushed_without_proof
      },
    }
    const push = async (request: Push) =>
      json(201, { request_uri: await pushedUri(server, keys, request), expires_in: lifetime })
    const endpoint: ClientEndpoint = {
      path,
      metadataName: 'pushed_authorization_request_endpoint',
      summary: 'Push an authorization request (RFC 9126 2)',
      message: PushedAuthorizationRequest,
      begin: (form, now) => (client, request) =>
        push({ clientId: client.clientId, form, request, client, now }),
      answerUnapproved: (clientId, form, request, now) => push({ clientId, form, request, now }),
    }
    return {
      requestSources: new RequestSources([source]),
      clientEndpoints: [endpoint],
      errors: PAR_ERRORS,
      metadata: required ? { [REQUIRE]: true } : {},
      clientMetadata: () => ({ [REQUIRE]: z.boolean().optional() }),
    }
  }
}
