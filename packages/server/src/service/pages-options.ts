import type { AuthorizationServer } from '@grantkit/core'
import { personalTokens } from '@grantkit/core/personal-tokens'
import type { ReportsCalls } from '@grantkit/explain'
import type { EndTokens } from '../accounts/account-rows.ts'
import { installationNames } from '../accounts/installation-names.ts'
import { passwordChecks, WITHOUT_QUEUE } from '../accounts/passwords.ts'
import { upstreamSignIns } from '../accounts/upstream/upstream-sign-ins.ts'
import { attemptReader } from '../attempts/attempt-reader.ts'
import { reportFailedSignIn } from '../attempts/recording.ts'
import { signInHistory } from '../audit/reading.ts'
import { ADMIN_SCOPES } from '../authorization/authorization-server.ts'
import type { Config } from '../config/config.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { Site } from '../http/page.ts'
import type { CallerOf } from '../http/trusted-proxies.ts'
import { signInLimits } from '../limits/rate-limiter.ts'
import { brandedPages } from '../pages/branded-pages.ts'
import type { TokenChoices } from '../pages/personal-tokens.ts'
import type { PagesOptions } from '../pages/routes.ts'
import { requestingApp } from '../pages/sign-in-page.ts'
import type { ServiceContext } from '../service-context.ts'
import { passwordResets } from '../sign-in/password-resets.ts'
import { sessionsOfBrowsers } from '../sign-in/session.ts'
import { adminSignIns, waysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import type { OpenUsers } from './open-users.ts'

/** What the pages need of the authorization server, which needs the pages: asked at each request. */
export interface LateServer {
  readonly metadata: () => AuthorizationServer['metadata']
  readonly findClient: AuthorizationServer['clients']['find']
  readonly sessionsEnded: AuthorizationServer['sessions']['ended']
  readonly endTokens: EndTokens
  readonly reportsCalls: ReportsCalls
}

/** What all pages of a service share. @throws Error if the file of providers is invalid */
export async function pagesOptions(
  context: ServiceContext,
  users: OpenUsers,
  { reportsCalls, ...server }: Omit<LateServer, 'endTokens' | 'sessionsEnded'>,
  callerOf: CallerOf,
): Promise<PagesOptions> {
  const { config, storage, secret, onEvent, onError } = context
  const { store, database, trail, attempts, createCounter } = storage
  const { baseUrl, brand } = config
  const { accounts, directory, external, builtIn } = users
  const origin = { secret, baseUrl, store }
  const providers = await upstreamSignIns(config, origin)
  const ways = waysToSignIn({ ...origin, name: brand.name, database, accounts, providers, builtIn })
  return {
    site: siteOf(context, users, server),
    baseUrl,
    secret,
    scopes: { ...config.scopes, ...(config.admin.api ? ADMIN_SCOPES : {}) },
    personalTokens: personalTokensOf(config),
    tokenChoices: { ...config.features.personalTokens, resources: resourcesOf(context) },
    accounts,
    external,
    sessions: sessionsOfBrowsers({ secret, baseUrl, accounts }),
    limits: signInLimits(createCounter),
    checks: builtIn ? passwordChecks() : WITHOUT_QUEUE,
    requestingApp: requestingApp({ baseUrl, ...server }),
    ways,
    adminSignIns: adminSignIns({ passkeys: ways.passkeys, directory, acr: config.admin.acr }),
    resets: passwordResets({
      ...{ mail: config.mail, name: brand.name, baseUrl, secret, accounts },
      ...{ createCounter, onEvent, onError },
    }),
    installationNames: installationNames(database),
    signIns: signInHistory(database, trail),
    attempts: attemptReader({ database, recording: attempts, reportsCalls }),
    findClient: server.findClient,
    callerOf,
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
  const others = Object.entries(resources)
    .filter(([resource]) => resource !== baseUrl)
    .map(([resource, { name }]) => ({ resource, name }))
  // The first one is chosen until the user changes that. A server without routes of a service has no API of its own.
  return definition.mount === undefined ? [...others, own] : [own, ...others]
}

/** @param style of pages that the others would only load in vain */
export function siteOf(
  context: ServiceContext,
  users: OpenUsers,
  { metadata }: Pick<LateServer, 'metadata'>,
  style = '',
): Site {
  const { baseUrl, brand } = context.config
  const { accounts, external } = users
  const basePath = basePathOf(baseUrl)
  const branded = { brand, basePath, accounts, metadata, signIn: external?.signIn }
  return { basePath, ui: brandedPages(branded, style) }
}

/** The path of a base URL, without a slash at its end. */
function basePathOf(baseUrl: string): string {
  return /^https?:\/\/[^/]+(.*)$/.exec(baseUrl)?.[1] ?? ''
}
