/**
 * Several issuers in one process: each has a server of its own, in a namespace of one store, with a secret derived for it.
 *
 * @module
 */
import { type AuthorizationServer, createAuthorizationServer } from '../authorization-server.ts'
import type { Feature } from '../feature.ts'
import { withinDeadline } from '../grants/operator-claims.ts'
import { endGrantsWhere } from '../grants/user-grants.ts'
import { errorResponse, failedResponse } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, type Route, routeFinder } from '../http/http.ts'
import { wholeNumber } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { RecentlyUsed } from '../kernel/recently-used.ts'
import { acceptedSecrets, derivedKey, type ServerSecret } from '../kernel/secrets.ts'
import type { Store } from '../kernel/store.ts'
import { systemClock, systemTime } from '../kernel/time.ts'
import { inProcess, type RateLimiter } from '../limits/rate-limits.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import { accessAt, type Caller, type ResourceServer } from '../resource/access.ts'
import type { IssuerAddresses } from './addresses.ts'
import { type TotalLimit, totalsOf } from './totals.ts'

export { byHost, byPath, type IssuerAddresses } from './addresses.ts'

export const ISSUER_ERRORS = defineErrors({
  issuer_unavailable: ['temporarily_unavailable', 'This issuer is temporarily unavailable. Try again'],
})

/** An issuer in use. */
export interface Issuer {
  readonly key: string
  readonly server: AuthorizationServer
  /** The records of this issuer alone. */
  readonly store: Store
  /** Derived for this issuer: what the secret of another one has made is nothing here. */
  readonly secret: ServerSecret
}

/** What an issuer has besides: for features that need a store or a secret themselves. */
export interface OwnParts extends Pick<Issuer, 'key' | 'store' | 'secret'> {
  /** The version that was read; `undefined` for a removal. */
  readonly version: string | undefined
  /** Aborts when the server is replaced, dropped, removed or not created. A request under way may still need what `options` has started. */
  readonly signal: AbortSignal
}

export type IssuerOptions<Scope extends string> = Omit<AuthorizationServerOptions<Scope>, 'store' | 'secret'>

export interface IssuersOptions<Scope extends string> {
  readonly addresses: IssuerAddresses
  /** Of all issuers. Each has the namespace of its key (`Store.within`). */
  readonly store: Store
  /** Of all issuers. Each has one that is derived from it (RFC 5869). */
  readonly secret: ServerSecret
  /**
   * The version of an issuer's options: a text that changes whenever they do. `undefined`: there is no such issuer. It is called for
   * every request, so answer from memory.
   */
  version(key: string): string | undefined | Promise<string | undefined>
  /**
   * The options of an issuer, read when its version is new, and by `remove`. If they fail, or are not there after ten seconds, its requests
   * are a 503 for a second; the next one then tries again. A server has no end of its own: what they start must end with `own.signal`.
   */
  options(key: string, own: OwnParts): IssuerOptions<Scope> | Promise<IssuerOptions<Scope>>
  /** The number of issuers that are kept ready. Default 1000. */
  readonly most?: number | undefined
  /** Seconds without a request after which an issuer may be dropped. Default 900. */
  readonly idle?: number | undefined
  /** Limits of all issuers together, in this process, by names of `description.rateLimits` such as `registration`. Above one: a 429. */
  readonly totals?: Readonly<Record<string, TotalLimit>> | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

export interface Issuers {
  /** For `authorizationServer()` of an adapter. An address without an issuer is a 404. */
  readonly routes: readonly Route[]
  /** The issuer whose address a request has. @throws OAuthError 503 when it cannot be created */
  of(request: HttpRequest): Promise<Issuer | undefined>
  /** The issuer with this key, for pages and jobs. @throws OAuthError 503 when it cannot be created */
  find(key: string): Promise<Issuer | undefined>
  /**
   * A guard for an API of all issuers. The address of the request names the issuer, and the token must be of that issuer: never the other
   * way round.
   *
   * @param create the guard for one issuer, made once for it
   */
  guard<Scope extends string, Auth extends Caller>(
    create: (issuer: Issuer) => ResourceServer<Scope, Auth>,
  ): ResourceServer<Scope, Auth>
  /**
   * Removes the grants and the clients of an issuer that `version` no longer knows, on any replica. Its grants end first, so that the
   * feed of ended tokens names them. What no store can list ends with its lifetime: pushed requests, nonces, initial access
   * tokens. If it fails halfway, call it again to finish; keep the signing keys until then.
   *
   * @throws Error while `version` knows the issuer
   */
  remove(key: string): Promise<{ readonly grants: number; readonly clients: number }>
}

interface Ready extends Issuer {
  endGrants(): Promise<number>
  readonly routeAt: ReturnType<typeof routeFinder>
}

interface Kept {
  readonly version: string
  readonly issuer: Promise<Ready>
  readonly ending: AbortController
  usedAt: number
  /** Epoch seconds; never, unless its creation has failed. */
  retryAt: number
}

/** Of each limit of an issuer without a `rateLimiter`: a megabyte, if callers fill it. */
const COUNTED_KEYS = 5000
const [CREATION_MS, RETRY_SECONDS] = [10_000, 1]

/** What an address can have as it is, up to the longest namespace. */
const KEY = /^[\w.~:[\]-]{1,256}$/

/**
 * Serves many issuers, each created at its first request.
 *
 * @throws Error when the store has no namespaces, or for a bad option
 *
 * @example
 * ```ts with:server
 * import { byPath, issuers } from '@grantkit/core/issuers'
 *
 * const versions = new Map([['acme', '1'], ['globex', '1']])
 *
 * export const tenants = issuers({
 *   ...{ addresses: byPath('/t'), store, secret },
 *   version: (key) => versions.get(key),
 *   options: (key) => ({ issuer: `https://auth.example/t/${key}`, scopes, interaction }),
 * })
 * ```
 */
export function issuers<Scope extends string>(options: IssuersOptions<Scope>): Issuers {
  const { addresses, store, most = 1000, idle = 900, now = systemClock } = options
  wholeNumber('most', most, 1)
  wholeNumber('idle', idle, 1)
  acceptedSecrets(options.secret, 'issuers: ')
  const totals = totalsOf(options.totals ?? {}, now)
  // They outlive a server, and one that is replaced or dropped does not give its callers new attempts.
  const counters = new RecentlyUsed<RateLimiter>(10 * most)
  if (store.within === undefined) throw new Error('issuers: the store has no namespaces (Store.within)')
  /** In the order of their last use. */
  const kept = new Map<string, Kept>()

  async function find(key: string): Promise<Ready | undefined> {
    if (!KEY.test(key)) return undefined
    const version = await available(key, async () => options.version(key))
    if (version === undefined) {
      // If it comes back, then with the options of that time.
      drop(key)
      return undefined
    }
    let entry = kept.get(key)
    if (entry?.version !== version || now() >= entry.retryAt) {
      drop(key)
      entry = newEntry(key, version)
    }
    entry.usedAt = now()
    kept.delete(key)
    kept.set(key, entry)
    return entry.issuer
  }

  /** Of each issuer its own: callers of one push no counter of another out. */
  function limiterFor(key: string, rateLimiter = counters.get(key)): RateLimiter {
    const limiter = rateLimiter ?? inProcess(now, COUNTED_KEYS)
    if (rateLimiter === undefined) counters.set(key, limiter)
    return limiterOf(limiter, key, totals)
  }

  function drop(key: string): void {
    kept.get(key)?.ending.abort()
    kept.delete(key)
  }

  function newEntry(key: string, version: string): Kept {
    for (const [other, { usedAt }] of kept) {
      if (kept.size < most && usedAt > now() - idle) break
      drop(other)
    }
    const ending = new AbortController()
    const wanted = { key, version, signal: ending.signal, limiterFor }
    const issuer = available(key, () => created(options, wanted))
    const entry: Kept = { version, issuer, ending, usedAt: now(), retryAt: Number.POSITIVE_INFINITY }
    issuer.catch(() => {
      ending.abort()
      entry.retryAt = now() + RETRY_SECONDS
    })
    return entry
  }

  const of = async (request: HttpRequest) => find(addresses.keyOf(request) ?? '')
  const route = { methods: ['*'], ...answersOf(of) }
  return {
    routes: [
      ...addresses.paths.map((path) => ({ ...route, path })),
      ...addresses.paths.map((path) => ({ ...route, path, below: true as const })),
    ],
    of,
    find,
    guard: (create) => guardOfEach(of, create),
    async remove(key) {
      if ((await options.version(key)) !== undefined)
        throw new Error(
          `issuers: version() still knows ${key}, and only an issuer that it does not know is removed`,
        )
      drop(key)
      const ending = new AbortController()
      const wanted = { key, version: undefined, signal: ending.signal, limiterFor }
      const removal = created(options, wanted).then(removed)
      return removal.finally(() => ending.abort())
    },
  }
}

/** One issuer that cannot be created is an outage of that issuer: the others go on. */
async function available<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (fault) {
    const cause = new Error(`issuers: ${key} cannot be created`, { cause: fault })
    throw new OAuthError(ISSUER_ERRORS.issuer_unavailable, undefined, { cause })
  }
}

interface Wanted extends Pick<OwnParts, 'key' | 'version' | 'signal'> {
  limiterFor(key: string, configured?: RateLimiter): RateLimiter
}

async function created<Scope extends string>(
  { addresses, store, secret, options }: IssuersOptions<Scope>,
  { limiterFor, ...wanted }: Wanted,
): Promise<Ready> {
  const { key } = wanted
  const own = { store: (store as Required<Store>).within(key), secret: secretOf(secret, key) }
  const read = async () => options(key, { ...wanted, ...own })
  const configured = await withinDeadline(systemTime, 'options', read, CREATION_MS)
  const rateLimiter = limiterFor(key, configured.rateLimiter)
  let endGrants: Ready['endGrants'] = async () => 0
  const ending: Feature = (kernel) => {
    endGrants = () => endGrantsWhere(kernel, {}, () => true)
    return {}
  }
  const features = [...(configured.features ?? []), ending]
  const server = createAuthorizationServer({ ...configured, ...own, rateLimiter, features })
  for (const { path } of server.routes) requireMounted(addresses, server.issuer, path, key)
  return { key, ...own, server, routeAt: routeFinder(server.routes), endGrants }
}

/** Otherwise clients of this issuer would get a 404, or the answer of another issuer. */
function requireMounted({ paths, keyIn }: IssuerAddresses, issuer: string, path: string, key: string): void {
  const isMounted = paths.some((mounted) => path === mounted || path.startsWith(`${mounted}/`))
  if (!isMounted || keyIn(new URL(path, issuer).href) !== key)
    throw new Error(`issuers: ${path} is not among the addresses of ${key} (${issuer})`)
}

function secretOf(secret: ServerSecret, key: string): ServerSecret {
  const own = (text: string) =>
    Buffer.from(derivedKey(`secret of the issuer ${key}`, text)).toString('base64url')
  const [current, ...previous] = acceptedSecrets(secret)
  return [own(current), ...previous.map(own)]
}

/** A caller who is over a limit at one issuer is not at another. */
function limiterOf(limiter: RateLimiter, issuer: string, totals: ReturnType<typeof totalsOf>): RateLimiter {
  return {
    take: async (limit, key, window) =>
      (await limiter.take(limit, `${issuer} ${key}`, window)) || totals.take(limit, issuer),
    async refund(limit, key) {
      await limiter.refund?.(limit, `${issuer} ${key}`)
      await totals.refund(limit, issuer)
    },
  }
}

/** Not for a cache: there may be such an issuer in a minute. */
const NOT_FOUND: HttpResponse = { status: 404, headers: { 'cache-control': 'no-store' }, body: '' }

const reported = new WeakSet<OAuthError>()

/** One failure refuses many requests, and the console has it once. */
function refusalOf(thrown: unknown): HttpResponse {
  if (!(thrown instanceof OAuthError)) return failedResponse(thrown)
  const answer = reported.has(thrown) ? errorResponse : failedResponse
  reported.add(thrown)
  return answer(thrown)
}

function answersOf(issuerOf: (request: HttpRequest) => Promise<Ready | undefined>) {
  const find: Required<Route>['find'] = async (request) => {
    try {
      return (await issuerOf(request))?.routeAt(request.path)
    } catch (thrown) {
      const response = refusalOf(thrown)
      return { handle: async () => response }
    }
  }
  const handle: Route['handle'] = async (request) => (await find(request))?.handle(request) ?? NOT_FOUND
  return { find, handle }
}

interface AllowedCallers {
  readonly clientCredentials?: true | undefined
  readonly personalTokens?: true | undefined
}

function guardOfEach<Scope extends string, Auth extends Caller>(
  issuerOf: Issuers['of'],
  create: (issuer: Issuer) => ResourceServer<Scope, Auth>,
): ResourceServer<Scope, Auth> {
  const guards = new WeakMap<Issuer, ResourceServer<Scope, Auth>>()
  const guardFor = (issuer: Issuer) => {
    const guard = guards.get(issuer) ?? create(issuer)
    guards.set(issuer, guard)
    return guard
  }
  return {
    get metadataUrl(): string {
      throw new Error('metadataUrl: each issuer has its own, which the answers of this guard name')
    },
    async access(request, ...scopes) {
      try {
        const issuer = await issuerOf(request)
        if (issuer === undefined) return { kind: 'refused', response: NOT_FOUND }
        const guard = guardFor(issuer)
        return accessAt(await guard.access(request, ...scopes), guard.metadataUrl)
      } catch (thrown) {
        return { kind: 'refused', response: refusalOf(thrown) }
      }
    },
    allowing: (callers: AllowedCallers) =>
      guardOfEach<Scope, never>(
        issuerOf,
        (issuer) => guardFor(issuer).allowing(callers as { personalTokens: true }) as never,
      ),
    requiring: (signIn) => guardOfEach(issuerOf, (issuer) => guardFor(issuer).requiring(signIn)),
  }
}

async function removed({ server, store, endGrants }: Ready): Promise<{ grants: number; clients: number }> {
  const grants = await endGrants()
  // An ended grant stays for as long as its ticket, which can no longer be presented.
  for await (const { id } of store.grants.scan()) await store.grants.remove(id)
  let clients = 0
  for await (const { clientId } of store.clients.scan()) {
    await server.clients.remove(clientId)
    clients++
  }
  return { grants, clients }
}
