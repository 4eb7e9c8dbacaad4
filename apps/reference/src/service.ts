import { randomUUID } from 'node:crypto'
import {
  type AuthorizationServer,
  createResourceServer,
  type Feature,
  type ServerSecret,
} from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { signInLimits } from '@grantkit/limiter'
import type { Hono, MiddlewareHandler } from 'hono'
import { type AccountDirectory, accountDirectory } from './accounts/account-directory.ts'
import type { AccountRows } from './accounts/account-rows.ts'
import { openAccounts } from './accounts/open-accounts.ts'
import { passwordChecks } from './accounts/password-checks.ts'
import { type Overview, overviewOf } from './admin/overview.ts'
import { admin } from './admin/routes.ts'
import { application } from './app.ts'
import { callerMiddleware, withCaller } from './audit/caller.ts'
import { signInHistory } from './audit/sign-in-history.ts'
import { trailReader } from './audit/trail-reader.ts'
import { authorizationServer } from './authorization-server.ts'
import { documents } from './documents/routes.ts'
import type { OnEvent } from './events.ts'
import { behindProxies, callerOf } from './http/trusted-proxies.ts'
import { mcp } from './mcp/route.ts'
import { proofsOf } from './oauth/dpop.ts'
import { installationNames } from './oauth/installation-names.ts'
import { SCOPES } from './oauth/scopes.ts'
import { openApiDocument } from './openapi/document.ts'
import { operationsOf } from './openapi/operation.ts'
import { health, probesOf, reachable } from './operations/health.ts'
import { type PagesOptions, pages } from './pages/routes.ts'
import { schoolPages } from './pages/school-pages.ts'
import { sendingApp } from './pages/sending-app.ts'
import { schoolApi } from './school/api.ts'
import { schoolRecords } from './school/records.ts'
import { developmentKeysFile, developmentSecret } from './settings/development.ts'
import { lifetimesOf } from './settings/lifetimes.ts'
import type { Settings } from './settings/settings.ts'
import { followSigningKeys, keysUnderProfile } from './settings/signing-keys-file.ts'
import { sessionsInCookies } from './sign-in/session.ts'
import { waysToSignIn } from './sign-in/ways-to-sign-in.ts'
import type { Storage } from './storage.ts'
import { upstreamSignIns } from './upstream/upstream-sign-ins.ts'

/** The whole service: the OAuth routes for the adapter of a framework, and an application for all other paths. */
export interface Service {
  readonly routes: readonly Route[]
  readonly app: Hono
  readonly clients: AuthorizationServer['clients']
  readonly grants: AuthorizationServer['grants']
  readonly accounts: AccountRows
  readonly directory: AccountDirectory
  readonly overview: () => Promise<Overview>
  /** Whether the demo account can sign in. */
  readonly demo: boolean
  /** `/readyz` fails from now on, so that a load balancer sends no new requests; other requests are still answered. */
  drain(): void
}

export interface Observers {
  readonly onEvent: OnEvent
  readonly onError: (error: unknown) => void
  /** Middleware for every request to the application. */
  readonly around?: readonly MiddlewareHandler[] | undefined
}

/** The secret, and the previous one if it is configured. */
async function secretsOf({ SECRET, SECRET_PREVIOUS }: Settings): Promise<ServerSecret> {
  const current = SECRET ?? (await developmentSecret())
  return SECRET_PREVIOUS === undefined ? current : [current, SECRET_PREVIOUS]
}

/** Creates the service from its settings. @throws Error when a configured file cannot be used */
export async function createService(
  settings: Settings,
  { onEvent: emit, onError, around = [] }: Observers,
  { store, probe, createCounter, database, trail }: Omit<Storage, 'close'>,
  features: readonly Feature[] = [],
): Promise<Service> {
  const { BASE_URL: baseUrl } = settings
  const secret = await secretsOf(settings)
  const onEvent: OnEvent = (event) => {
    trail.onEvent(event)
    emit(event)
  }
  const inFile = await followSigningKeys(settings.KEYS_FILE ?? (await developmentKeysFile()), onError)
  const keys = keysUnderProfile(settings.PROFILE, inFile)
  const { accounts, demo } = await openAccounts(settings, database, onEvent)
  const directory = accountDirectory(database, settings.NODE_ENV === 'production')
  const basePath = basePathOf(baseUrl)
  const providers = await upstreamSignIns(settings.UPSTREAM_FILE, { secret, baseUrl, store })
  const callers = callerOf(settings.TRUST_PROXY)
  const published = () => server.metadata
  const site = { basePath, ui: schoolPages({ basePath, accounts, metadata: published }) }
  const findClient = (id: string) => server.clients.find(id)
  const pageOptions: PagesOptions = {
    site,
    baseUrl,
    secret,
    accounts,
    sessions: sessionsInCookies({ secret, baseUrl, accounts, store, onEvent }),
    limits: signInLimits(createCounter),
    checks: passwordChecks(),
    sentBy: sendingApp({ baseUrl, metadata: published, findClient }),
    ways: waysToSignIn({ secret, baseUrl, store, database, accounts, providers }),
    installationNames: installationNames(database),
    signIns: signInHistory(database, trail),
    callerOf: callers,
    onEvent,
    demo,
    onError,
  }
  const parts = {
    store,
    keys,
    pages: pageOptions,
    createCounter,
    features,
    onEvent,
  }
  const server = await authorizationServer(settings, parts)
  // Requests without a token get the public view, and no challenge.
  const proofs = proofsOf(settings, secret)
  const { accessTokens } = server
  const guarded = { store, accessTokens, scopes: SCOPES, anonymous: 'allow', proofs, onEvent } as const
  const api = createResourceServer({ ...guarded, resource: baseUrl })
  const mcpApi = createResourceServer({ ...guarded, resource: `${baseUrl}/mcp` })
  let draining = false
  const probes = probesOf({ store, probe, database })
  const ready = reachable(probes, onError)
  const reader = trailReader(database, trail)
  const overview = overviewOf({ probes, keys, trail: reader })
  const { metadata, description, clients, grants } = server
  const operators = { ...pageOptions, accounts, directory, clients, grants, trail: reader, overview }
  const school = schoolRecords(database, randomUUID)
  const openApi = () =>
    JSON.stringify(openApiDocument(baseUrl, description, operationsOf(app), proofs !== undefined))
  const app = application({ site, onError, around: [callerMiddleware(callers), ...around] }, [
    schoolApi(api, school),
    documents({
      basePath,
      metadata,
      lifetimes: lifetimesOf(settings),
      profile: settings.PROFILE,
      school,
      openApi,
    }),
    pages(pageOptions, grants).route('/', admin(operators)),
    health(async () => !draining && (await ready())),
    mcp(baseUrl, mcpApi, school),
  ])
  return {
    routes: server.routes.map(withCaller).map((route) => behindProxies(route, settings.TRUST_PROXY)),
    app,
    clients,
    grants,
    accounts,
    directory,
    overview,
    demo,
    drain() {
      draining = true
    },
  }
}

/** The path of a base URL, without a slash at its end. */
export function basePathOf(baseUrl: string): string {
  return /^https?:\/\/[^/]+(.*)$/.exec(baseUrl)?.[1] ?? ''
}
