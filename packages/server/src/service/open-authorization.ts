import { readFile } from 'node:fs/promises'
import {
  type AuthorizationServer,
  type Caller,
  createResourceServer,
  type ResourceServer,
  type ScopeCatalogue,
} from '@grantkit/core'
import { plainResources } from '@grantkit/core/internal'
import { personalTokens } from '@grantkit/core/personal-tokens'
import { signInAttempts } from '@grantkit/explain'
import { type Brand, pages } from '@grantkit/pages'
import { installationNames } from '../accounts/installation-names.ts'
import { passwordRules } from '../accounts/passwords.ts'
import { upstreamSignIns } from '../accounts/upstream/upstream-sign-ins.ts'
import { attemptReader } from '../attempts/attempt-reader.ts'
import { reportFailedSignIn } from '../attempts/recording.ts'
import { signInHistory } from '../audit/reading.ts'
import {
  ADMIN_SCOPES,
  type AdminScope,
  adminResource,
  authorizationServer,
} from '../authorization/authorization-server.ts'
import { proofsOf } from '../authorization/optional-features.ts'
import { AUTHENTICATION_CLASSES } from '../config/authentication-classes.ts'
import type { Config } from '../config/config.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { Site } from '../http/page.ts'
import { callerOf } from '../http/trusted-proxies.ts'
import { guessLimits } from '../limits/guess-limits.ts'
import { signInLimits } from '../limits/rate-limiter.ts'
import { logoutInteraction } from '../pages/logout.ts'
import type { PageParts, TokenChoices } from '../pages/parts.ts'
import { interaction } from '../pages/routes.ts'
import { requestingApp } from '../pages/sign-in-page.ts'
import type { ServiceContext } from '../service-context.ts'
import { enrolmentsOf } from '../sign-in/enrolments.ts'
import { knownBrowsers } from '../sign-in/known-browsers.ts'
import { passwordResets } from '../sign-in/password-resets.ts'
import { requiredPasskeys } from '../sign-in/required-passkeys.ts'
import { sessionsOfBrowsers } from '../sign-in/session.ts'
import { waitingIdentities } from '../sign-in/waiting-identities.ts'
import { adminSignIns, waysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import type { OpenUsers } from './open-users.ts'

/** The authorization server of a service, with what its pages and its guards are made of. */
export interface OpenAuthorization {
  readonly server: AuthorizationServer
  readonly options: PageParts
  readonly guards: ReturnType<typeof guardsOf>
}

/** @param server of the result: pages and guards ask it at requests, when it exists. @throws Error if a configured file is invalid */
export async function openAuthorization(
  users: OpenUsers,
  server: () => AuthorizationServer,
): Promise<OpenAuthorization> {
  const { context } = users
  const { admin, scopes } = context.config
  const offered = { ...scopes, ...(admin.api ? ADMIN_SCOPES : {}) }
  const guards = guardsOf(context, offered, server)
  const options = { ...(await pagesOptions(users, guards, server)), scopes: offered }
  const own = { interaction: interaction(options), logout: logoutInteraction(options) }
  return { server: await authorizationServer(context, { ...options, ...own }), options, guards }
}

/** What all pages of a service share, but for the scopes. @throws Error if the file of providers is invalid */
async function pagesOptions(
  users: OpenUsers,
  { reportsCalls }: ReturnType<typeof guardsOf>,
  server: () => AuthorizationServer,
): Promise<Omit<PageParts, 'scopes'>> {
  const { context, accounts, directory, checks, external, builtIn } = users
  const { config, storage, secret, trusted, onEvent, onError } = context
  const { store, database, trail, attempts, createCounter } = storage
  const { baseUrl, brand } = config
  const origin = { secret, baseUrl, store }
  const providers = await upstreamSignIns(config, origin, context.example)
  const ways = waysToSignIn({ ...origin, name: brand.name, database, accounts, providers, builtIn })
  const { passkeys } = ways
  const strength = adminSignIns({ passkeys, directory, acr: config.admin.acr })
  const required = requiredPasskeys({ rule: config.requirePasskey, accounts, directory, passkeys })
  return {
    site: siteOf(users, server),
    baseUrl,
    secret,
    answersRequests: config.features.backchannelAuthentication,
    personalTokens: personalTokensOf(config),
    tokenChoices: { ...config.features.personalTokens, resources: resourcesOf(context) },
    accounts,
    external,
    sessions: sessionsOfBrowsers({ secret, baseUrl, accounts, demandPasskey: required.demand }),
    requiredPasskeys: required,
    enrolments: enrolmentsOf({ ...origin, accounts, passkeys }),
    limits: signInLimits(createCounter),
    guesses: guessLimits(createCounter),
    browsers: knownBrowsers({ secret, baseUrl, accounts }),
    checks,
    passwordRules: passwordRules(config),
    requestingApp: requestingApp(baseUrl, server),
    ways,
    directory,
    adminSignIns: strength,
    waiting: waitingIdentities({ ...origin, accounts, ways, adminSignIns: strength }),
    resets: passwordResets({
      ...{ mail: config.mail, name: brand.name, baseUrl, secret, accounts },
      ...{ createCounter, onEvent, onError },
    }),
    installationNames: installationNames(database),
    signIns: signInHistory(database, trail),
    attempts: attemptReader({
      database,
      recording: attempts,
      reportsCalls,
      external: external !== undefined,
    }),
    findClient: (id) => server().clients.find(id),
    callerOf: callerOf(trusted, context),
    reportFailed: reportFailedSignIn({ explain: config.explain, secret, onEvent }),
    onEvent,
    onError,
  }
}

function personalTokensOf({ features }: Config) {
  const { enabled, days, maxDays } = features.personalTokens
  return enabled
    ? personalTokens({ lifetime: days * DAY_SECONDS, longest: maxDays * DAY_SECONDS })
    : undefined
}

/** The service itself, and the APIs and MCP servers of the operator. No token opens the admin API. */
function resourcesOf({ config, definition }: ServiceContext): TokenChoices['resources'] {
  const { baseUrl, brand, resources } = config
  const own = { resource: baseUrl, name: resources[baseUrl]?.name ?? brand.name }
  // A family is no address where a token works.
  const others = plainResources(Object.keys(resources))
    .filter((resource) => resource !== baseUrl)
    .map((resource) => ({ resource, name: resources[resource]?.name }))
  // The first one is chosen until the user changes that. A server without routes of a service has no API of its own.
  return definition.mount === undefined ? [...others, own] : [own, ...others]
}

const STYLE = await readFile(new URL('../pages/style.css', import.meta.url), 'utf8')

/**
 * The pages of `@grantkit/pages` in the brand of the service, with links to its account pages.
 *
 * @param style of pages that the others would only load in vain
 */
export function siteOf(
  { context, accounts, external }: OpenUsers,
  server: () => AuthorizationServer,
  style = '',
): Site {
  const { baseUrl, brand } = context.config
  const basePath = basePathOf(baseUrl)
  const ui = pages({
    brand: { ...brand, style: STYLE + style + (brand.style ?? ''), footer: footerBelow(basePath, brand) },
    user: ({ subject }) => accounts.find(subject),
    links: {
      connectedApps: `${basePath}/account`,
      signOut: (returnTo) => `${basePath}/logout?${new URLSearchParams({ return_to: returnTo })}`,
      home: `${basePath}/`,
      signInAt: external && [new URL(external.signIn.url).origin],
    },
    metadata: () => server().metadata,
  })
  return { basePath, ui }
}

/** Links that begin with a slash are paths below the base URL. */
function footerBelow(basePath: string, { footer = [] }: Brand): Brand['footer'] {
  return footer.map(({ text, href }) => ({ text, href: href.startsWith('/') ? basePath + href : href }))
}

/** The path of a base URL, without a slash at its end. */
function basePathOf(baseUrl: string): string {
  return /^https?:\/\/[^/]+(.*)$/.exec(baseUrl)?.[1] ?? ''
}

/** Guards of resources with the tokens of this server. */
function guardsOf(context: ServiceContext, scopes: ScopeCatalogue, server: () => AuthorizationServer) {
  const { config, storage, secret, onEvent } = context
  const proofs = proofsOf(config.features, secret)
  const explained = { observer: config.explain ? signInAttempts : undefined, secret }
  const authenticationClasses = config.features.stepUp ? AUTHENTICATION_CLASSES : undefined
  const shared = { store: storage.store, proofs, authenticationClasses, ...explained, onEvent }
  const all = [config.baseUrl, ...Object.keys(config.resources)]
  const guarded = new Set<string>()
  /** Each kind of token has its verifier in the server. */
  const guard = <Options extends object>(resource: string, options: Options) => {
    guarded.add(resource)
    return {
      ...shared,
      ...options,
      accessTokens: server().accessTokens,
      requestTerms: server().requestTerms,
      resource,
    }
  }
  return {
    /** Requests without a token are anonymous: they get the public view, and no challenge. */
    api: (resource: string): ResourceServer<string, Caller> =>
      createResourceServer(guard(resource, { scopes, anonymous: 'allow' as const })),
    admin: (): ResourceServer<AdminScope> =>
      createResourceServer(guard(adminResource(config.baseUrl), { scopes: ADMIN_SCOPES })),
    /** Whether guards of this service report every call with a token for these resources; for every resource if there is none. */
    reportsCalls: (resources: readonly string[]): boolean =>
      (resources.length === 0 ? all : resources).every((resource) => guarded.has(resource)),
  }
}
