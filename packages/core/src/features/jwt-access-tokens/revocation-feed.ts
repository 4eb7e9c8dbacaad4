/** The revocation feed, for guards without the store: it lists revoked grants and tokens that have not expired yet. */
import * as z from 'zod'
import type { Feature } from '../../feature.ts'
import { endpointPath } from '../../http/endpoint.ts'
import { json } from '../../http/http.ts'
import { readMessage } from '../../http/message.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'

export const FEED_ERRORS = defineErrors({
  feed_not_for_client: [
    'invalid_client',
    'Only a resource server may read the revocation feed. Ask the operator to register one',
  ],
})

export interface RevocationFeedOptions {
  /** The path below the issuer. Default `/api/oauth/ended`. */
  readonly path?: string | undefined
}

/** `since`: the `next` of the previous answer. Without it, the answer has all entries that have not expired. */
const FeedRequest = z.object({ since: z.string().max(16_384).optional() })

/**
 * Publishes revoked grants and tokens, whichever process revoked them. Resource servers authenticate as they do for
 * introspection.
 *
 * @throws Error if the store has no transients, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
 *
 * const features = [jwtAccessTokens({ resources: { [issuer]: {} } }), revocationFeed()]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, scopes, secret, interaction, keys, claims, features },
 * })
 * ```
 */
export function revocationFeed({ path }: RevocationFeedOptions = {}): Feature {
  return ({ store: { revocations } }) => {
    if (revocations === undefined) throw new Error('revocationFeed: the store has no transients')
    return {
      errors: FEED_ERRORS,
      clientEndpoints: [
        {
          path: endpointPath('ended', path, '/api/oauth/ended'),
          summary: 'The revocation feed, for resource servers that verify tokens themselves',
          message: FeedRequest,
          confidential: true,
          begin(form) {
            const { since } = readMessage(FeedRequest, form)
            return async (client) => {
              if (client.resourceServer !== true) throw new OAuthError(FEED_ERRORS.feed_not_for_client)
              const { entries, next } = await revocations.read(since)
              return json(200, { ended: entries, next })
            }
          },
        },
      ],
    }
  }
}
