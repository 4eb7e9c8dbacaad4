/**
 * Backchannel authentication (OpenID Connect CIBA Core 1.0), poll mode: a client that has no browser names a user, the user answers
 * on a page of this server, and the client polls. Requests are transients; an approval opens a grant like any other.
 *
 * The client begins, and calls a person to a page. It is therefore for clients that the operator added and that authenticate.
 *
 * @module
 */
import { invalidMetadata } from '../../clients/client-metadata.ts'
import type { Feature } from '../../feature.ts'
import { addressOf, basePathOf, endpointPath, type PathOptions } from '../../http/endpoint.ts'
import { lifetime, wholeSeconds } from '../../kernel/kernel.ts'
import { OPENID } from '../../kernel/scope.ts'
import type { RateLimits } from '../../limits/rate-limits.ts'
import { AUTH_REQ_ID_ERRORS, type AuthReqIdRedeemed, backchannelGrantType } from './auth-req-id.ts'
import {
  BACKCHANNEL_REQUEST_ERRORS,
  type BackchannelNotice,
  type BackchannelNotifyFailed,
  type BackchannelRequested,
  type BackchannelRequests,
  type BackchannelUserUnknown,
  backchannelEndpoint,
  CIBA_GRANT,
  type UserHint,
} from './backchannel-request.ts'
import { type Approval, approvalOf, type Operation } from './operation-approval.ts'
import {
  BACKCHANNEL_ANSWER_ERRORS,
  BACKCHANNEL_PAGE_ERRORS,
  type BackchannelApproved,
  type BackchannelDenied,
  type BackchannelInteraction,
  type BackchannelUnblocked,
  type OperationApproved,
  pageEndpoints,
} from './request-pages.ts'
import { endOpenRequests, keyOfUser, USER_REQUEST_ERRORS } from './user-requests.ts'

export type { BackchannelNotice, UserHint } from './backchannel-request.ts'
export { CIBA_GRANT } from './backchannel-request.ts'
export type { Approval, Operation } from './operation-approval.ts'
export type {
  BackchannelAnsweredView,
  BackchannelInteraction,
  BackchannelRequestsView,
  BackchannelRequestView,
} from './request-pages.ts'

export interface BackchannelAuthenticationOptions
  extends PathOptions<'backchannelAuthentication' | 'requests'> {
  readonly pages: BackchannelInteraction
  /**
   * Finds the user whom a client names. `undefined`: there is none, or the account is disabled; the client then gets the same answer,
   * and no approval. Ignore spaces around a hint and the case of ASCII letters, as the limits for unknown users do, and nothing
   * else: where they count two spellings as one name and `userOf` does not, the client can tell whether there is a user.
   */
  readonly userOf: (hint: UserHint) => Promise<string | undefined>
  /**
   * Tells the user that a request waits: stores a mail, or pushes to a phone. The answer does not wait for it. Default: users find
   * the request on their page, and the event `backchannel_requested` tells of it.
   */
  readonly notify?: ((notice: BackchannelNotice) => void | Promise<void>) | undefined
  /** Accepts `login_hint_token`, which `userOf` then reads and verifies. Default false. */
  readonly loginHintTokens?: boolean | undefined
  /** Answers `unknown_user_id` for a hint that no user has. Every client can then ask who has an account. Default false. */
  readonly tellUnknownUsers?: boolean | undefined
  /** The maximum age of the user's sign-in, in seconds; after that, the user signs in again. Default 3600. */
  readonly maxAge?: number | undefined
  /** Lifetime of a grant in seconds, no matter how often it is refreshed. Default 30 days. */
  readonly grantLifetime?: number | undefined
}

export type BackchannelEvent =
  | BackchannelRequested
  | BackchannelUserUnknown
  | BackchannelNotifyFailed
  | BackchannelApproved
  | BackchannelDenied
  | BackchannelUnblocked
  | OperationApproved
  | AuthReqIdRedeemed

/** The feature, and what an API in the process of the server asks by it. */
export interface BackchannelAuthentication extends Feature {
  /**
   * Asks the user of a caller for one operation, without a client of the API's own. Call it for every such operation: the first call
   * asks, a later one with the same details finds the answer, and an approval counts once.
   *
   * @throws OAuthError `invalid_authorization_details` for details of no type, or of one that the client may not ask for; 429 while
   *   another request of the client waits for the user, and beyond the limits of a client that asks; 403 if the user does not want to
   *   be asked; 401 `invalid_client` if the client was removed; 503 while the store is down
   */
  ask(operation: Operation): Promise<Approval>
}

const DAY = 24 * 60 * 60
const KIND = 'backchannel'

/**
 * Backchannel authentication (CIBA), poll mode. Needs a store with transients, and the scope `openid`.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { backchannelAuthentication } from '@grantkit/core/backchannel-authentication'
 *
 * declare const pages: import('@grantkit/core/backchannel-authentication').BackchannelInteraction
 * declare const userWithAddress: (address: string) => Promise<string | undefined>
 * declare const push: (subject: string, url: string) => Promise<void>
 *
 * const approvals = backchannelAuthentication({
 *   pages,
 *   userOf: async ({ name, value }) => (name === 'login_hint' ? userWithAddress(value) : value),
 *   notify: ({ subject, url }) => push(subject, url),
 * })
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, secret, interaction, keys, features: [approvals] },
 *   scopes: { ...scopes, openid: { description: 'Sign you in' } },
 *   claims: async () => ({}),
 * })
 * ```
 */
export function backchannelAuthentication(
  options: BackchannelAuthenticationOptions,
): BackchannelAuthentication {
  const { pages, loginHintTokens = false, tellUnknownUsers = false } = options
  const { maxAge = 3600, paths } = options
  const requestPath = endpointPath(
    'backchannelAuthentication',
    paths?.backchannelAuthentication,
    '/api/oauth/bc-authorize',
  )
  const path = endpointPath('requests', paths?.requests, '/oauth/requests')
  let mounted: BackchannelRequests | undefined
  const feature: Feature = (server) => {
    const { transients } = server.store
    if (transients === undefined) throw new Error('backchannelAuthentication: the store has no transients')
    if (!Object.hasOwn(server.scopes, OPENID))
      throw new Error(`backchannelAuthentication: the catalogue has no scope ${OPENID}`)
    wholeSeconds('backchannelAuthentication: maxAge', maxAge, 60)
    const grantLifetime = lifetime('backchannelGrant', options.grantLifetime, 30 * DAY)
    const context = { server, transients, kind: KIND }
    const pageUri = addressOf(server.issuer, path)
    const requests = {
      ...{ ...context, loginHintTokens, tellUnknownUsers, pageUri },
      // The options may be an instance of a class, so their methods are called on them.
      userOf: (hint: UserHint) => options.userOf(hint),
      notify: (notice: BackchannelNotice) => options.notify?.(notice),
    }
    mounted = requests
    const decisions = {
      ...({ ...context, origin: 'backchannel', grantLifetime, maxAge, pages } as const),
      decisionTickets: server.tickets('backchannel'),
      listTickets: server.tickets('backchannel-list'),
      page: basePathOf(server.issuer) + path,
      answerErrors: BACKCHANNEL_ANSWER_ERRORS,
    }
    return {
      grantTypes: [backchannelGrantType(context, grantLifetime)],
      clientEndpoints: [backchannelEndpoint(requests, requestPath)],
      endpoints: pageEndpoints(decisions, path),
      metadata: {
        backchannel_token_delivery_modes_supported: ['poll'],
        backchannel_user_code_parameter_supported: false,
      },
      checkClient({ grantTypes, tokenEndpointAuthMethod }) {
        if (grantTypes.includes(CIBA_GRANT) && tokenEndpointAuthMethod === 'none')
          throw invalidMetadata(`${CIBA_GRANT} needs a client that authenticates`)
      },
      endingSessions: async ({ subject, all }) => {
        if (all) await endOpenRequests(context, keyOfUser(subject))
      },
      rateLimits: {
        // Of one client, for one user.
        backchannel_request: { points: 10, seconds: 3600, withoutLimiter: true },
        // 18 polls a minute: a client whose clock runs a third too fast is within the limit.
        backchannel_poll: { points: 18, seconds: 60 },
      } satisfies RateLimits,
      errors: {
        ...BACKCHANNEL_REQUEST_ERRORS,
        ...USER_REQUEST_ERRORS,
        ...BACKCHANNEL_PAGE_ERRORS,
        ...AUTH_REQ_ID_ERRORS,
      },
    }
  }
  const ask: BackchannelAuthentication['ask'] = async (operation) => {
    if (mounted === undefined) throw new Error('backchannelAuthentication: needs a server with this feature')
    return approvalOf(mounted, operation)
  }
  return Object.assign(feature, { ask })
}
