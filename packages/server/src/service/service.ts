import {
  type AuthorizationServer,
  type Caller,
  createResourceServer,
  type ResourceServer,
  type ScopeCatalogue,
} from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { signInAttempts } from '@grantkit/explain'
import { Hono } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import { type AccountRows, accountsThatEndTokens } from '../accounts/account-rows.ts'
import { ADMIN_STYLE, admin } from '../admin/routes.ts'
import { adminApi } from '../admin-api/routes.ts'
import type { AttemptReader } from '../attempts/attempt-reader.ts'
import { callerMiddleware, withCaller } from '../audit/caller.ts'
import { trailReader } from '../audit/reading.ts'
import { ADMIN_SCOPES, adminResource, authorizationServer } from '../authorization/authorization-server.ts'
import { proofsOf } from '../authorization/optional-features.ts'
import { trustedProxies } from '../config/address.ts'
import { AUTHENTICATION_CLASSES } from '../config/authentication-classes.ts'
import { commandNamesOf } from '../config/command-names.ts'
import type { Config } from '../config/config.ts'
import type { MountContext, Mounted } from '../definition.ts'
import { behindProxies, callerOf } from '../http/trusted-proxies.ts'
import { health, type Probes, probesOf, reachable } from '../operations/health.ts'
import { type Operator, operatorOf } from '../operator/operator.ts'
import { interaction, logoutInteraction, type PagesOptions, pages } from '../pages/routes.ts'
import { type ServiceContext, type ServiceParts, serviceContext } from '../service-context.ts'
import { statisticsReader } from '../statistics/statistics.ts'
import { application, measuredRoute, measuring } from './app.ts'
import { type OpenUsers, openUsers } from './open-users.ts'
import { type LateServer, pagesOptions, siteOf } from './pages-options.ts'
import { withTokenMails } from './token-mails.ts'

/** A whole service: the OAuth routes for the adapter of a framework, and an application for all other paths. */
export interface Service {
  readonly routes: readonly Route[]
  readonly app: Hono
  readonly clients: AuthorizationServer['clients']
  readonly grants: AuthorizationServer['grants']
  /** Present if users may create personal access tokens. */
  readonly personalTokens: PagesOptions['personalTokens']
  /** Present if a file of endpoints is configured. */
  readonly webhooks: ServiceContext['webhooks']
  readonly accounts: AccountRows
  readonly directory: AccountDirectory
  readonly attempts: AttemptReader
  /** What commands do. */
  readonly operator: Operator
  /** Whether the demo account can sign in. */
  readonly demo: boolean
  /** `/readyz` fails from now on, so that a load balancer sends no new requests; other requests are still answered. */
  drain(): void
  /** Resolves when all messages about what happened so far are stored. Wait for it before the storage is closed. */
  settled(): Promise<void>
}

/** Puts a service together. @throws Error when a configured file cannot be used, or others can use a demo account */
export async function createService(parts: ServiceParts): Promise<Service> {
  const { addsAccounts = true } = parts
  const context = withTokenMails(await serviceContext(parts), (id) => opened.accounts.find(id))
  const { trustProxy } = context.config
  const trusted = trustProxy === undefined ? undefined : trustedProxies(trustProxy)
  const callers = callerOf(trusted, context)
  // The server needs the pages, and the pages need the server: they read it at requests, when it exists.
  const serverOfPages: LateServer = {
    metadata: () => server.metadata,
    findClient: (id) => server.clients.find(id),
    sessionsEnded: (ended) => server.sessions.ended(ended),
    reportsCalls: (resources) => running.guards.reportCalls(resources),
    endTokens: (subject, by) => server.grants.revokeAll(subject, { clientId: PERSONAL_CLIENT_ID, by }),
  }
  const opened = await openUsers(context, addsAccounts, serverOfPages.sessionsEnded)
  const users = { ...opened, accounts: accountsThatEndTokens(opened.accounts, serverOfPages.endTokens) }
  const options = await pagesOptions(context, users, serverOfPages, callers)
  const server: AuthorizationServer = await authorizationServer(context, {
    ...options,
    interaction: interaction(options),
    logout: logoutInteraction(options),
  })
  const running = { context, users, options, server, guards: guardsOf(context, server, options.scopes) }
  const probes = probesOf(context.storage)
  const operators = operatorsOf(running, probes)
  const { onError, onResponse } = context
  let draining = false
  const ready = reachable(probes, onError)
  const app: ReturnType<typeof application> = application(
    {
      site: options.site,
      onError,
      around: [callerMiddleware(callers), measuring(options.site.basePath, onResponse)],
    },
    [
      ...ownRoutes(running, () => app),
      ...adminApiOf(running, operators),
      pages(options, server.grants).route('/', admin(operators)),
      health(async () => !draining && (await ready())),
    ],
  )
  return {
    routes: server.routes
      .map(withCaller)
      .map((route) => behindProxies(route, trusted, context))
      .map((route) => measuredRoute(route, onResponse)),
    app,
    clients: server.clients,
    grants: server.grants,
    personalTokens: options.personalTokens,
    webhooks: context.webhooks,
    accounts: users.accounts,
    directory: users.directory,
    attempts: options.attempts,
    operator: operators.operator,
    demo: users.demo,
    drain() {
      draining = true
    },
    settled: context.settled,
  }
}

/** What the routes are made of. */
interface Running {
  readonly context: ServiceContext
  readonly users: OpenUsers
  readonly options: PagesOptions
  readonly server: AuthorizationServer
  readonly guards: Guards
}

/** What the admin pages and the admin API share. */
function operatorsOf({ context, users, options, server }: Running, probes: Probes) {
  const { definition, storage, keys, keysWrittenAt, onEvent, onError } = context
  const { accounts, directory, builtIn: ownUsers } = users
  const { clients, grants } = server
  const { store } = storage
  const { features } = context.config
  const trail = trailReader(storage.database, storage.trail)
  const statistics = statisticsReader(storage.database, storage.statistics)
  const watched = { probes, keys, trail, statistics, keysWrittenAt }
  const { attempts, personalTokens } = options
  const operator = operatorOf({
    ...{ ...watched, clients, grants, store, features, accounts, directory, ownUsers },
    ...{ personalTokens, attempts, onEvent, onError },
  })
  return {
    ...options,
    site: siteOf(context, users, { metadata: () => server.metadata }, ADMIN_STYLE),
    directory,
    trail,
    statistics,
    registersWithToken: registersWithToken(context.config),
    clients: operator.clients,
    operator,
    commands: commandNamesOf(definition),
  }
}

/** Whether registration needs an initial access token. */
function registersWithToken({ features }: Config): boolean {
  return features.registration && features.initialAccessTokens
}

/** The routes of the service itself. */
function ownRoutes(
  { context: { definition, config, storage }, users, options, server, guards }: Running,
  app: MountContext['app'],
): readonly Mounted[] {
  const { metadata, description } = server
  const mounted = definition.mount?.({
    config,
    metadata,
    description,
    app,
    site: options.site,
    demo: users.demo,
    database: storage.database,
    guard: guards.api,
  })
  return mounted ?? []
}

function adminApiOf(
  { context, guards }: Running,
  operators: ReturnType<typeof operatorsOf>,
): readonly Mounted[] {
  const { config, storage } = context
  if (!config.admin.api) return []
  const api = adminApi({
    ...operators,
    store: storage.store,
    guard: guards.admin(),
  })
  return [new Hono().route('/admin/api', api)]
}

/** Guards of resources with the tokens of this server. */
interface Guards {
  /** Requests without a token are anonymous: they get the public view, and no challenge. */
  api(resource: string): ResourceServer<string, Caller>
  admin(): ReturnType<typeof adminGuard>
  /** Whether guards of this service report every call with a token for these resources; for every resource if there is none. */
  reportCalls(resources: readonly string[]): boolean
}

function guardsOf(
  context: ServiceContext,
  { accessTokens }: Pick<AuthorizationServer, 'accessTokens'>,
  scopes: ScopeCatalogue,
): Guards {
  const { config, storage, secret, onEvent } = context
  const proofs = proofsOf(config.features, secret)
  const explained = { observer: config.explain ? signInAttempts : undefined, secret }
  const authenticationClasses = config.features.stepUp ? AUTHENTICATION_CLASSES : undefined
  const shared = { store: storage.store, accessTokens, proofs, authenticationClasses, ...explained, onEvent }
  const all = [config.baseUrl, ...Object.keys(config.resources)]
  const guarded = new Set<string>()
  return {
    api(resource) {
      guarded.add(resource)
      return createResourceServer({ ...shared, scopes, anonymous: 'allow', resource })
    },
    admin() {
      guarded.add(adminResource(config.baseUrl))
      return adminGuard(shared, config.baseUrl)
    },
    reportCalls: (resources) =>
      (resources.length === 0 ? all : resources).every((resource) => guarded.has(resource)),
  }
}

function adminGuard(
  shared: Omit<Parameters<typeof createResourceServer>[0], 'scopes' | 'resource' | 'anonymous'>,
  baseUrl: string,
) {
  return createResourceServer({ ...shared, scopes: ADMIN_SCOPES, resource: adminResource(baseUrl) })
}
