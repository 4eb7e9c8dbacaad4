import type { AuthorizationServer } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { Hono } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import { ADMIN_STYLE, admin } from '../admin/routes.ts'
import { adminApi } from '../admin-api/routes.ts'
import type { AttemptReader } from '../attempts/attempt-reader.ts'
import { callerMiddleware, withCaller } from '../audit/caller.ts'
import { trailReader } from '../audit/reading.ts'
import type { MountContext } from '../definition.ts'
import { behindProxies } from '../http/trusted-proxies.ts'
import { health, type Probes, probesOf, reachable } from '../operations/health.ts'
import { type Operator, operatorOf } from '../operator/operator.ts'
import type { PageParts } from '../pages/parts.ts'
import { pages } from '../pages/routes.ts'
import { PLAYGROUND_STYLE, playground } from '../playground/routes.ts'
import { type ServiceContext, type ServiceParts, serviceContext } from '../service-context.ts'
import { statisticsReader } from '../statistics/statistics.ts'
import { application, measuredRoute, measuring } from './app.ts'
import { type OpenAuthorization, openAuthorization, siteOf } from './open-authorization.ts'
import { type OpenUsers, openUsers } from './open-users.ts'

/** A whole service: the OAuth routes for the adapter of a framework, and an application for all other paths. */
export interface Service {
  readonly routes: readonly Route[]
  readonly app: Hono
  readonly clients: AuthorizationServer['clients']
  readonly grants: AuthorizationServer['grants']
  /** Present if users may create personal access tokens. */
  readonly personalTokens: PageParts['personalTokens']
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
  /** Resolves when all hashes and messages of what happened so far are stored. Wait for it before the storage is closed. */
  settled(): Promise<void>
}

/**
 * Puts a service together: its context, its users, the authorization server and the application. Each step is a record that
 * the next ones read.
 *
 * @throws Error when a configured file cannot be used, or others can use a demo account
 */
export async function createService(parts: ServiceParts): Promise<Service> {
  // Users and pages ask the server, which asks them: at requests, when it exists.
  const server = (): AuthorizationServer => authorization.server
  const users = await openUsers(await serviceContext(parts), server)
  const authorization: OpenAuthorization = await openAuthorization(users, server)
  return openApplication(users, authorization)
}

/** The routes and the application, with what operators do. */
function openApplication(users: OpenUsers, authorization: OpenAuthorization): Service {
  const { context, accounts, directory, checks, demo } = users
  const { server, options, guards } = authorization
  const { definition, config, storage, trusted, example, onError, onResponse } = context
  const { metadata, description, clients, grants } = server
  const { site } = options
  const { store, database } = storage
  const probes = probesOf(storage)
  const ready = reachable(probes, onError)
  const operators = operatorsOf(users, authorization, probes)
  let draining = false
  const own = { config, site, demo, metadata, description, database, guard: guards.api, app: () => app }
  const around = [callerMiddleware(options.callerOf), measuring(site.basePath, onResponse)]
  const app: ReturnType<MountContext['app']> = application({ site, onError, around }, [
    ...(definition.mount?.(own) ?? []),
    ...(example ? [example.page(site)] : []),
    ...(config.admin.api
      ? [new Hono().route('/admin/api', adminApi({ ...operators, store, guard: guards.admin() }))]
      : []),
    pages(options, grants).route('/', admin(operators)),
    ...(config.playground
      ? [
          playground({
            site: siteOf(users, () => server, PLAYGROUND_STYLE),
            baseUrl: config.baseUrl,
            scopes: options.scopes,
            program: operators.program,
            described: () => app.openAPIRegistry.definitions,
          }),
        ]
      : []),
    health(async () => !draining && (await ready())),
  ])
  return {
    routes: server.routes
      .map(withCaller)
      .map((route) => behindProxies(route, trusted, context))
      .map((route) => measuredRoute(route, onResponse)),
    app,
    clients,
    grants,
    personalTokens: options.personalTokens,
    webhooks: context.webhooks,
    accounts,
    directory,
    attempts: options.attempts,
    operator: operators.operator,
    demo,
    drain() {
      draining = true
    },
    async settled() {
      await checks.idle()
      await context.settled()
    },
  }
}

/** What the admin pages and the admin API share. */
function operatorsOf(users: OpenUsers, { server, options }: OpenAuthorization, probes: Probes) {
  const { context, directory } = users
  const { storage, definition } = context
  const { features } = context.config
  const { clients, grants } = server
  const trail = trailReader(storage.database, storage.trail)
  const statistics = statisticsReader(storage.database, storage.statistics)
  const operator = operatorOf({
    ...{ accounts: users.accounts, directory, builtIn: users.builtIn },
    ...{ clients, grants, personalTokens: options.personalTokens, features },
    ...{ store: storage.store, trail, statistics, attempts: options.attempts },
    ...{ passwordRules: options.passwordRules, guesses: options.guesses },
    enrolments: options.ways.ceremonies && options.enrolments,
    ...{ probes, keys: context.keys },
    ...{ onEvent: context.onEvent, onError: context.onError },
  })
  return {
    ...options,
    site: siteOf(users, () => server, ADMIN_STYLE),
    directory,
    trail,
    statistics,
    registersWithToken: features.registration && features.initialAccessTokens,
    operator,
    program: definition.program ?? 'grantkit',
  }
}
