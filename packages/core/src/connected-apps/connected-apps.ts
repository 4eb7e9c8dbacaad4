/**
 * The apps that a user has connected, as a page: each installation with what it may do, a form to disconnect it and one to
 * name it. It needs the session of the server, like the consent page.
 */
import { errorPages } from '../authorization/redirect-target.ts'
import type { Feature, ServerContext } from '../feature.ts'
import { userGrants } from '../grants/user-grants.ts'
import { basePathOf, type Endpoint, endpointPath } from '../http/endpoint.ts'
import { sealingKeys } from '../kernel/server-secret.ts'
import {
  type ConnectedAppsContext,
  type ConnectedAppsPages,
  DisconnectForm,
  disconnectApp,
  NameForm,
  nameApp,
  showApps,
} from './connected-apps-page.ts'
import { type InstallationNames, namesInTransients } from './installation-names.ts'
import { userApps } from './user-apps.ts'

export type { ConnectedAppsNotice, ConnectedAppsPages, ConnectedAppsView } from './connected-apps-page.ts'
export type { InstallationNames } from './installation-names.ts'
export type { ConnectedApp } from './installations.ts'
export {
  type UserApps,
  type UserAppsOptions,
  type UserAppsPage,
  type UserAppsPageRequest,
  userApps,
} from './user-apps.ts'

export interface ConnectedAppsOptions {
  /** The path below the issuer. Default `/connected-apps`; its forms go to `/disconnect` and `/name` below it. */
  readonly path?: string | undefined
  /**
   * Keeps the names that users choose. Default: the transients of the store, for at least as long as a grant lives after the
   * name was set.
   */
  readonly names?: InstallationNames | undefined
}

/**
 * Shows users their connected apps.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { connectedApps, type ConnectedAppsPages } from '@grantkit/core/connected-apps'
 *
 * declare const pages: ConnectedAppsPages
 *
 * const features = [connectedApps(pages)]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function connectedApps(pages: ConnectedAppsPages, options: ConnectedAppsOptions = {}): Feature {
  const path = endpointPath('connectedApps', options.path, '/connected-apps')
  return (server) => ({ endpoints: endpointsOf(contextOf(server, pages, path, options), path) })
}

function contextOf(
  server: ServerContext,
  pages: ConnectedAppsPages,
  path: string,
  { names = namesOf(server) }: ConnectedAppsOptions,
): ConnectedAppsContext {
  const { scopes, interaction } = server
  const list = basePathOf(server.issuer) + path
  return {
    ...{ server, pages },
    apps: userApps({ grants: userGrants(server), scopes, names, uiLocales: interaction.uiLocales }),
    tickets: server.tickets('connected-apps'),
    sealingKeys: sealingKeys(server.secret, 'notices of connected apps'),
    paths: { list, disconnect: `${list}/disconnect`, name: `${list}/name` },
  }
}

function namesOf(server: ServerContext): InstallationNames {
  const { store, terms, now } = server
  if (store.transients === undefined)
    throw new Error('connectedApps: the store has no transients, so `names` must be set')
  const kept = namesInTransients(store.transients, server)
  return {
    ...kept,
    // A user who allows more keeps the name.
    give: (subject, installation, name, until) =>
      kept.give(subject, installation, name, Math.max(until, now() + terms.grant)),
  }
}

function endpointsOf(context: ConnectedAppsContext, path: string): Endpoint[] {
  const page = errorPages(context.server)
  return [
    {
      ...{ ...page, path },
      summary: 'The apps that the user has connected',
      methods: ['GET'],
      answer: (request) => showApps(context, request),
    },
    {
      ...{ ...page, path: `${path}/disconnect` },
      summary: 'Disconnect an app, by a form of the page',
      message: DisconnectForm,
      methods: ['POST'],
      answer: (request) => disconnectApp(context, request),
    },
    {
      ...{ ...page, path: `${path}/name` },
      summary: 'Name an app, by a form of the page',
      message: NameForm,
      methods: ['POST'],
      answer: (request) => nameApp(context, request),
    },
  ]
}
