import { AsyncLocalStorage } from 'node:async_hooks'
import { userInfo } from 'node:os'
import type { HttpRequest } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { pageView } from '@grantkit/core/feature'
import { coarseNetworkOf, ipAddress } from '@grantkit/core/internal'
import * as languages from '@grantkit/pages/languages'
import type { MiddlewareHandler } from 'hono'
import { headerOf } from '../http/bodies-and-answers.ts'
import type { CallerOf } from '../http/trusted-proxies.ts'

/** The caller of an event, as the trail keeps it. Events themselves have no address, because they are logged. */
export interface Caller {
  /** The network of the address: the first 24 bits of IPv4, the first 48 of IPv6. */
  readonly network?: string | undefined
  /** The client that the request names, not authenticated. */
  readonly clientId?: string | undefined
}

/** The handlers of the application show only the address: their events name no client. */
type Request =
  | HttpRequest
  | (Pick<HttpRequest, 'remoteAddress'> & Readonly<Record<'userAgent' | 'accepted', string | undefined>>)

const requests = new AsyncLocalStorage<Request>()

/** Wraps an OAuth route: `callerOfEvent` knows its request until it is answered. */
export function withCaller(route: Route): Route {
  return {
    ...route,
    handle: (request) => requests.run(request, () => route.handle(request)),
  }
}

/** The same for the handlers of the application. Guards read the address from the variable. */
export function callerMiddleware(
  callerOf: CallerOf,
): MiddlewareHandler<{ Variables: { remoteAddress: string | undefined } }> {
  return (c, next) => {
    const remoteAddress = callerOf(c)
    c.set('remoteAddress', remoteAddress)
    const { 'user-agent': userAgent, 'accept-language': accepted } = c.req.header()
    return requests.run({ remoteAddress, userAgent, accepted }, next)
  }
}

/** The caller of the current request. Empty outside of a request, as in a command. */
export function callerOfEvent(): Caller {
  const request = requests.getStore()
  if (request === undefined) return {}
  const named = 'body' in request ? clientNamedIn(request) : ''
  return { network: coarseNetwork(request.remoteAddress), clientId: clientIdIn(named) }
}

/** The browser of the current request of a page, as the list of sessions has it. */
export function browserOfCaller(): BrowserOfCaller {
  const request = requests.getStore()
  const network = coarseNetwork(request?.remoteAddress)
  if (request === undefined || !('userAgent' in request)) return { network }
  const { userAgent, accepted } = request
  return { network, device: deviceOf(userAgent), language: acceptedLanguage(accepted) }
}

export type BrowserOfCaller = Readonly<Partial<Record<'network' | 'device' | 'language', string | undefined>>>

/** Those of the pages. The first one answers a browser that wants none of them: it says nothing of its user. */
const TAGS = ['', 'en', ...Object.values(languages).map(({ tag }) => tag)]

function acceptedLanguage(header = ''): string | undefined {
  const request = { method: 'GET', path: '/', query: '', headers: { 'accept-language': header }, body: '' }
  return pageView({ uiLocales: TAGS }, request).locale || undefined
}

/** In words without a version, as `Firefox on Windows`. `undefined` for a program that is no browser. */
export function deviceOf(userAgent = ''): string | undefined {
  const named = (names: typeof BROWSERS) => names.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const browser = named(BROWSERS)
  const system = named(SYSTEMS)
  return browser && (system === undefined ? browser : `${browser} on ${system}`)
}

/** The first that matches: most browsers name others too. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|Chromium|CriOS)\//],
  ['Safari', /\bSafari\//],
]
const SYSTEMS: typeof BROWSERS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/** Distinguishes networks, and identifies no single person. */
export function coarseNetwork(address = ''): string | undefined {
  return ipAddress(address) === undefined ? undefined : coarseNetworkOf(address)
}

/** Only what looks like an id: users put secrets into the wrong field. */
const CLIENT_ID = /^([0-9a-f]{32}|https:\/\/[\w.:/~-]{1,200})$/

export function clientIdIn(named: string | undefined): string | undefined {
  return named !== undefined && CLIENT_ID.test(named) ? named : undefined
}

/** In the form or by HTTP Basic. Does not parse the whole form: it may have thousands of fields. */
function clientNamedIn(request: HttpRequest): string {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headerOf(request, 'content-type'))
  const fields = isForm ? `${request.body}&${request.query}` : request.query
  const [, basic = ''] = /^basic +(\S+)$/i.exec(headerOf(request, 'authorization')) ?? []
  const inForm = /(?:^|&)client_id=([^&]{1,700})(?:&|$)/.exec(fields)
  const [, encoded = ''] = inForm ?? /^([^:&]{1,700}):/.exec(Buffer.from(basic, 'base64').toString()) ?? []
  return new URLSearchParams(`id=${encoded}`).get('id') ?? ''
}

/**
 * The operator who makes a change: the id of their account on a page, the id of the client at the admin API, or their
 * operating-system user at a terminal.
 */
export type Actor = `account:${string}` | `client:${string}` | `command:${string}`

const actors = new AsyncLocalStorage<Actor>()

/** Runs `work` with this operator as the actor of its trail entries. */
export function actingAs<Result>(actor: Actor, work: () => Result): Result {
  return actors.run(actor, work)
}

/** The current operator. `undefined` outside of `actingAs`, as in the import of a file. */
export function actorOfEvent(): Actor | undefined {
  return actors.getStore()
}

/** The operating-system user who runs this command. */
export function systemUser(): Actor {
  try {
    return `command:${userInfo().username}`
  } catch {
    // In a container the user may have a uid and no name.
    return `command:${process.getuid?.()}`
  }
}
