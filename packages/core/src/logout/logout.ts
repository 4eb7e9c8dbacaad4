/**
 * OpenID Connect RP-Initiated Logout 1.0: a client sends the browser, the session of its user ends, the browser goes back. It
 * touches no grant: signing out takes nothing from apps.
 */

import { showErrorPage } from '../authorization/error-page.ts'
import type { Feature } from '../feature.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { basePathOf, endpointPath } from '../http/well-known.ts'
import { sealingKeys } from '../kernel/server-secret.ts'
import { confirmLogout, endSession, LOGOUT_ERRORS, type LogoutContext, LogoutForm } from './end-session.ts'
import type { LogoutInteraction } from './logout-interaction.ts'
import { LOGOUT_REQUEST_ERRORS, LogoutParameters } from './logout-request.ts'
import { POST_LOGOUT_ERRORS, postLogoutMetadata } from './post-logout-redirect-uri.ts'

export type { LogoutInteraction, LogoutView } from './logout-interaction.ts'

export interface LogoutOptions {
  /** The path below the issuer. Default `/oauth/logout`; the answer of the user goes to `/confirm` below it. */
  readonly path?: string | undefined
}

/**
 * Lets clients sign their user out. A hint of this very sign-in ends the session at once; whatever else asks, the user is
 * asked. Clients register `post_logout_redirect_uris`.
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
export function logout(pages: LogoutInteraction, { path: given }: LogoutOptions = {}): Feature {
  const path = endpointPath('logout', given, '/oauth/logout')
  const confirm = `${path}/confirm`
  return (server) => {
    if (server.keys.algorithms.length === 0)
      throw new Error('logout: keys of the server are needed, by which it knows its ID tokens')
    const base = basePathOf(server.issuer)
    const context: LogoutContext = {
      ...{ server, pages },
      tickets: server.tickets('logout'),
      sealingKeys: sealingKeys(server.secret, 'posted logout requests'),
      paths: { logout: base + path, confirm: base + confirm },
    }
    const refusal: Endpoint['refusal'] = (error, request) =>
      showErrorPage({ kernel: server, interaction: server.interaction }, error, request)
    const page = { cors: false, refusal }
    return {
      endpoints: [
        {
          ...page,
          path,
          metadataName: 'end_session_endpoint',
          summary: 'Sign the user out (RP-Initiated Logout 2)',
          message: LogoutParameters,
          methods: ['GET', 'POST'],
          answer: (request) => endSession(context, request),
        },
        {
          ...page,
          path: confirm,
          summary: 'The answer of the user, sent by the page that asks',
          message: LogoutForm,
          methods: ['POST'],
          answer: (request) => confirmLogout(context, request),
        },
      ],
      clientMetadata: postLogoutMetadata,
      errors: { ...LOGOUT_ERRORS, ...LOGOUT_REQUEST_ERRORS, ...POST_LOGOUT_ERRORS },
    }
  }
}
