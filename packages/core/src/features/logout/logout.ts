/**
 * OpenID Connect RP-Initiated Logout 1.0: a client redirects the browser here, the user's session ends, and the browser goes
 * back. Grants stay as they are: apps keep their access.
 */

import { errorPages } from '../../authorization/redirect-target.ts'
import type { Feature } from '../../feature.ts'
import { basePathOf, endpointPath } from '../../http/endpoint.ts'
import { sealingKeys } from '../../kernel/secrets.ts'
import {
  confirmLogout,
  endSession,
  LOGOUT_ERRORS,
  LogoutForm,
  type LogoutInteraction,
  LogoutParameters,
  type Logouts,
  postLogoutMetadata,
  sentParameters,
} from './end-session.ts'

export type { LogoutInteraction, LogoutView, SignedOutView } from './end-session.ts'

export interface LogoutOptions {
  /** The path below the issuer. Default `/oauth/logout`. The confirmation form goes to `/confirm` below it. */
  readonly path?: string | undefined
}

/**
 * Lets clients sign their user out. An `id_token_hint` of the current sign-in ends the session at once; every other request
 * shows a confirmation page. Clients register `post_logout_redirect_uris`.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { logout, type LogoutInteraction } from '@grantkit/core/logout'
 *
 * declare const pages: LogoutInteraction
 *
 * const features = [logout(pages)]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, scopes, secret, interaction, keys, claims, features },
 * })
 * ```
 */
export function logout(pages: LogoutInteraction, options: LogoutOptions = {}): Feature {
  const path = endpointPath('logout', options.path, '/oauth/logout')
  return (server) => {
    if (server.keys.algorithms.length === 0)
      throw new Error('logout needs the option keys of the server, to verify ID tokens')
    const keys = sealingKeys(server.secret, 'posted logout requests')
    const absolutePath = basePathOf(server.issuer) + path
    const logouts: Logouts = { server, pages, tickets: server.tickets('logout'), keys, path: absolutePath }
    const page = errorPages(server, (request) => sentParameters(keys, request))
    return {
      endpoints: [
        {
          ...page,
          path,
          metadataName: 'end_session_endpoint',
          summary: 'Sign the user out (RP-Initiated Logout 2)',
          message: LogoutParameters,
          methods: ['GET', 'POST'],
          answer: (request) => endSession(logouts, request),
        },
        {
          ...page,
          path: `${path}/confirm`,
          summary: "The user's answer, sent by the confirmation page",
          message: LogoutForm,
          methods: ['POST'],
          answer: (request) => confirmLogout(logouts, request),
        },
      ],
      clientMetadata: postLogoutMetadata,
      errors: LOGOUT_ERRORS,
    }
  }
}
