/**
 * The apps that a user has connected, as a page: each installation with what it may do, a form to disconnect it and one to
 * name it. It needs the session of the server, like the consent page.
 *
 * @module
 */
import type { Feature, HttpRequest, HttpResponse, PageView, Session } from '@grantkit/core'
import {
  type Endpoint,
  formParameters,
  pageView,
  parameters,
  readMessage,
  type ServerContext,
  securePage,
  type Tickets,
} from '@grantkit/core/feature'
import {
  basePathOf,
  endpointPath,
  errorPages,
  openText,
  redirect,
  requireOwnForm,
  type SealingKeys,
  sealingKeys,
  sealText,
  text,
  userGrants,
} from '@grantkit/core/internal'
import * as z from 'zod'
import { type InstallationNames, namesInTransients } from './installation-names.ts'
import { type ConnectedApp, type UserApps, userApps } from './user-apps.ts'

export type { InstallationNames } from './installation-names.ts'
export {
  type ConnectedApp,
  type UserApps,
  type UserAppsOptions,
  type UserAppsPage,
  type UserAppsPageRequest,
  userApps,
} from './user-apps.ts'

/** The content of the page, and the fields of its forms. */
export interface ConnectedAppsView extends PageView {
  readonly session: Session
  /** The most recently used first. */
  readonly apps: readonly ConnectedApp[]
  /** The address of the next page, if there is one. It may be empty. */
  readonly next?: string | undefined
  /** The address of the first page, on every other one. */
  readonly first?: string | undefined
  /**
   * Two forms for each app: POST with `ticket` and `installation`, to `disconnect`, or to `name` with `name` as well. An empty `name` removes the name. `disconnect` with any `all` disconnects every installation of the app.
   */
  readonly actions: { readonly disconnect: string; readonly name: string }
  readonly ticket: string
  /** What the user has just done, to be shown once. */
  readonly notice?: ConnectedAppsNotice | undefined
  /** This page, a path with query on this origin: for signing in as another user. */
  readonly returnTo: string
  /** The user has just sent a form too late, or after another sign-in. Nothing was changed: say so. */
  readonly expired: boolean
}

const Notice = z.object({
  change: z.enum(['disconnected', 'named']),
  /** What the page calls the app; absent if it has no name. */
  app: z.string().optional(),
})
export type ConnectedAppsNotice = Readonly<z.infer<typeof Notice>>

/** The application's part: the page. */
export interface ConnectedAppsPages {
  connectedAppsPage(view: ConnectedAppsView): HttpResponse | Promise<HttpResponse>
}

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
 * import { connectedApps, type ConnectedAppsPages } from '@grantkit/pages/connected-apps'
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

interface ConnectedAppsContext {
  readonly server: ServerContext
  readonly pages: ConnectedAppsPages
  readonly apps: UserApps
  readonly tickets: Tickets
  /** Of notices. */
  readonly sealingKeys: SealingKeys
  /** From the root of the host. */
  readonly paths: { readonly list: string; readonly disconnect: string; readonly name: string }
}

/** Time to use the forms of the page, in seconds. */
const TICKET_LIFETIME = 3600
/** Seconds. A notice is for the redirect that brings it. */
const NOTICE_LIFETIME = 60

const PageQuery = z.object({
  after: z.string().optional().catch(undefined),
  notice: z.string().optional().catch(undefined),
})
const SealedNotice = Notice.extend({ session: z.string(), endsAt: z.number() })

/** The forms of the page. An installation is a client id or the id of a grant. */
const AppForm = z.object({ ticket: text(200), installation: text() })
/** With `all`, every installation of its app is disconnected. */
const DisconnectForm = AppForm.extend({ all: text(10).optional() })
const NameForm = AppForm.extend({ name: text().default('') })

async function showApps(context: ConnectedAppsContext, request: HttpRequest): Promise<HttpResponse> {
  const session = await context.server.interaction.session(request)
  return session === undefined ? askToSignIn(context, request) : showPage(context, request, session, false)
}

async function disconnectApp(context: ConnectedAppsContext, request: HttpRequest): Promise<HttpResponse> {
  const form = readMessage(DisconnectForm, formParameters(request))
  return change(context, request, form.ticket, async ({ subject }, after) => {
    const { apps } = context
    if (form.all === undefined) {
      const app = await apps.disconnect(subject, form.installation, after)
      return app && { change: 'disconnected', app: app.called ?? app.name }
    }
    const app = await apps.disconnectAll(subject, form.installation, after)
    return app && { change: 'disconnected', app: app.name }
  })
}

async function nameApp(context: ConnectedAppsContext, request: HttpRequest): Promise<HttpResponse> {
  const form = readMessage(NameForm, formParameters(request))
  return change(context, request, form.ticket, async ({ subject }, after) => {
    const app = await context.apps.name(subject, form.installation, form.name, after)
    return app && { change: 'named', app: app.called ?? app.name }
  })
}

/** @param work returns the notice; none if the app is not there, for example after a double click: this is a success */
async function change(
  context: ConnectedAppsContext,
  request: HttpRequest,
  ticket: string,
  work: (session: Session, after: string | undefined) => Promise<ConnectedAppsNotice | undefined>,
): Promise<HttpResponse> {
  const { server, tickets, paths } = context
  requireOwnForm(server, request)
  const session = await server.interaction.session(request)
  if (session === undefined) return askToSignIn(context, request)
  const end = tickets.open(formsOf(session), ticket)
  if (end === undefined || server.now() >= end) return showPage(context, request, session, true)
  const { after } = queryOf(request)
  const notice = await work(session, after)
  // A reload of the page that follows repeats nothing.
  return redirect(addressOf(paths.list, { after, notice: notice && sealNotice(context, session, notice) }))
}

async function showPage(
  context: ConnectedAppsContext,
  request: HttpRequest,
  session: Session,
  expired: boolean,
): Promise<HttpResponse> {
  const { server, pages, apps, tickets, paths } = context
  const { after, notice } = queryOf(request)
  const pageOf = pageView(server.interaction, request)
  const page = await apps.list(session.subject, { after, locale: pageOf.locale })
  const view: ConnectedAppsView = {
    ...{ ...pageOf, session, expired },
    apps: page.apps,
    returnTo: addressOf(paths.list, { after }),
    next: page.next && addressOf(paths.list, { after: page.next }),
    first: after && paths.list,
    actions: {
      disconnect: addressOf(paths.disconnect, { after }),
      name: addressOf(paths.name, { after }),
    },
    ticket: tickets.seal(formsOf(session), server.now() + TICKET_LIFETIME),
    notice: openNotice(context, session, notice),
  }
  const shown = await pages.connectedAppsPage(view)
  return securePage(expired ? { ...shown, status: 400 } : shown)
}

async function askToSignIn(
  { server, paths }: ConnectedAppsContext,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { after } = queryOf(request)
  const hint = pageView(server.interaction, request)
  return securePage(await server.interaction.signIn(addressOf(paths.list, { after }), hint))
}

/** The scope of its tickets: all forms of the page, in this session. */
function formsOf({ id }: Session) {
  return { session: id, query: '' }
}

function sealNotice(
  { server, sealingKeys }: ConnectedAppsContext,
  { id }: Session,
  notice: ConnectedAppsNotice,
): string {
  const sealed = { ...notice, session: id, endsAt: server.now() + NOTICE_LIFETIME }
  return sealText(sealingKeys, server.random, JSON.stringify(sealed))
}

/** A link cannot make the page show a notice of something that did not happen. */
function openNotice(
  { server, sealingKeys }: ConnectedAppsContext,
  { id }: Session,
  presented = '',
): ConnectedAppsNotice | undefined {
  const opened = openText(sealingKeys, presented)
  if (opened === undefined) return undefined
  const { session, endsAt, ...notice } = SealedNotice.parse(JSON.parse(opened))
  return session === id && server.now() < endsAt ? notice : undefined
}

function queryOf({ query }: HttpRequest) {
  return readMessage(PageQuery, parameters(query))
}

function addressOf(path: string, members: Readonly<Record<string, string | undefined>>): string {
  const named = Object.entries(members).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  )
  return named.length === 0 ? path : `${path}?${new URLSearchParams(named)}`
}
