/**
 * Several issuers in one process: each has a server of its own, in a namespace of one store, with a secret derived for it.
 *
 * @module
 */
import { type AuthorizationServer, createAuthorizationServer } from '../authorization-server.ts'
import { failedResponse } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, type Route, routeFinder } from '../http/http.ts'
import { wholeNumber } from '../kernel/kernel.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import { acceptedSecrets, derivedKey, type ServerSecret } from '../kernel/secrets.ts'
import type { Store } from '../kernel/store.ts'
import { systemClock } from '../kernel/time.ts'
import type { RateLimiter } from '../limits/rate-limits.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import type { Caller, ResourceServer } from '../resource/access.ts'
import type { IssuerAddresses } from './addresses.ts'

export { byHost, byPath, type IssuerAddresses } from './addresses.ts'

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
export type OwnParts = Pick<Issuer, 'key' | 'store' | 'secret'>

export type IssuerOptions<Scope extends string> = Omit<AuthorizationServerOptions<Scope>, 'store' | 'secret'>

export interface IssuersOptions<Scope extends string> {
  readonly addresses: IssuerAddresses
  /** Of all issuers. Each has the namespace of its key (`Store.within`). */
  readonly store: Store
  /** Of all issuers. Each has one that is derived from it (RFC 5869). */
  readonly secret: ServerSecret
  /**
   * The version of an issuer's options: any text that is another one when they are. `undefined` means that there is no such issuer. It
   * is asked for every request, also of strangers, so answer from memory.
   */
  version(key: string): string | undefined | Promise<string | undefined>
  /** The options of an issuer, asked when its version is new. */
  options(key: string, own: OwnParts): IssuerOptions<Scope> | Promise<IssuerOptions<Scope>>
  /** The number of issuers that are kept ready. Default 1000. */
  readonly most?: number | undefined
  /** Seconds after its last request when an issuer makes room for others. Default 900. */
  readonly idle?: number | undefined
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
   * Removes what the store has of an issuer that `version` no longer knows: its grants end, so that the feed of ended tokens names
   * them, and its clients go. What is short-lived ends by itself. If it fails halfway, call it again to finish; keep the signing keys
   * until then.
   *
   * @throws Error while `version` knows the issuer
   */
  remove(key: string): Promise<{ readonly grants: number; readonly clients: number }>
}

interface Ready extends Issuer {
  readonly routeAt: ReturnType<typeof routeFinder>
}

interface Kept {
  readonly version: string
  readonly issuer: Promise<Ready>
  usedAt: number
}

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
  if (store.within === undefined) throw new Error('issuers: the store has no namespaces (Store.within)')
  /** In the order of their last use. */
  const kept = new Map<string, Kept>()

  async function find(key: string): Promise<Ready | undefined> {
    if (!KEY.test(key)) return undefined
    const version = await available(async () => options.version(key))
    if (version === undefined) return undefined
    const known = kept.get(key)
    kept.delete(key)
    const entry = known?.version === version ? known : newEntry(key, version)
    entry.usedAt = now()
    kept.set(key, entry)
    return entry.issuer
  }

  function newEntry(key: string, version: string): Kept {
    for (const [other, { usedAt }] of kept) {
      if (kept.size < most && usedAt > now() - idle) break
      kept.delete(other)
    }
    const issuer = available(() => created(options, key))
    // The next request tries again.
    issuer.catch(() => kept.delete(key))
    return { version, issuer, usedAt: now() }
  }

  const of = async (request: HttpRequest) => find(addresses.keyOf(request) ?? '')
  const route = { methods: ['*'], handle: answerOf(of) }
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
        throw new Error(`issuers: close ${key} first: version() still knows it`)
      return removed(await created(options, key))
    },
  }
}

/** One issuer that cannot be created is an outage of that issuer: the others go on. */
async function available<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw new OAuthError(SERVER_ERRORS.store_unavailable, undefined, { cause })
  }
}

async function created<Scope extends string>(
  { addresses, store, secret, options }: IssuersOptions<Scope>,
  key: string,
): Promise<Ready> {
  const parts = { key, store: (store as Required<Store>).within(key) }
  const own = { ...parts, secret: secretOf(secret, key) }
  const configured = await options(key, own)
  if (addresses.keyIn(configured.issuer) !== key)
    throw new Error(`issuers: ${configured.issuer} is not the address of ${key}`)
  const rateLimiter = configured.rateLimiter && limiterOf(configured.rateLimiter, key)
  const server = createAuthorizationServer({ ...configured, ...own, rateLimiter })
  return { ...own, server, routeAt: routeFinder(server.routes) }
}

function secretOf(secret: ServerSecret, key: string): ServerSecret {
  const own = (text: string) =>
    Buffer.from(derivedKey(`secret of the issuer ${key}`, text)).toString('base64url')
  const [current, ...previous] = acceptedSecrets(secret)
  return [own(current), ...previous.map(own)]
}

/** A caller who is over a limit at one issuer is not at another. */
function limiterOf(limiter: RateLimiter, issuer: string): RateLimiter {
  return {
    take: (limit, key, window) => limiter.take(limit, `${issuer} ${key}`, window),
    refund: async (limit, key) => limiter.refund?.(limit, `${issuer} ${key}`),
  }
}

const NOT_FOUND: HttpResponse = { status: 404, headers: {}, body: '' }

function answerOf(issuerOf: (request: HttpRequest) => Promise<Ready | undefined>): Route['handle'] {
  return async (request) => {
    const issuer = await issuerOf(request)
    return issuer?.routeAt(request.path)?.handle(request) ?? NOT_FOUND
  }
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
        return await guardFor(issuer).access(request, ...scopes)
      } catch (thrown) {
        return { kind: 'refused', response: failedResponse(thrown) }
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

async function removed({ server, store }: Issuer): Promise<{ grants: number; clients: number }> {
  let [grants, clients] = [0, 0]
  // First, because the removal of a client reads every grant, and the client of some is a document.
  for await (const { id, subject } of store.grants.scan())
    if (subject !== undefined && (await server.grants.revoke(subject, id, 'operator'))) grants++
  for await (const { clientId } of store.clients.scan()) {
    grants += (await server.clients.remove(clientId)).grantsEnded
    clients++
  }
  // An ended grant stays for as long as its ticket, which nobody can present any more.
  for await (const { id } of store.grants.scan()) await store.grants.remove(id)
  return { grants, clients }
}
