/** The revocation feed, for guards without the store: a resource server gets what has ended and could still be honoured. */
import { z } from 'zod'
import type { Feature } from '../feature.ts'
import { json } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import { endpointPath } from '../http/well-known.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'

export const FEED_ERRORS = defineErrors({
  feed_not_for_client: ['invalid_client', 'Only a resource server may ask which tokens have ended'],
})

export interface RevocationFeedOptions {
  /** The path below the issuer. Default `/api/oauth/ended`. */
  readonly path?: string | undefined
}

/** `since`: the `next` of the answer before. Without it the answer has everything that could still be honoured. */
const FeedRequest = z.object({ since: z.string().max(16_384).optional() })

/**
 * Publishes what ended, whichever process ended it. It is a form like introspection, since the same resource servers ask
 * with the same credentials.
 *
 * @throws Error if the store keeps no transients, when the server is created
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
    if (revocations === undefined) throw new Error('revocationFeed: the store keeps no transients')
    return {
      errors: FEED_ERRORS,
      clientEndpoints: [
        {
          path: endpointPath('ended', path, '/api/oauth/ended'),
          summary:
            'The grants and tokens that ended lately, for resource servers that check tokens themselves',
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
