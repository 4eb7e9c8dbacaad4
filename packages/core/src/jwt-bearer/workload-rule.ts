import { clientCredentialsMetadata } from '../client-credentials/client-credentials-scopes.ts'
import type { ServerContext } from '../feature.ts'
import type { AssertionClaims } from './assertion.ts'
import { readResources } from './id-jag-trust.ts'
import type { IssuerKeys, IssuerKeysOptions, ReadIssuerKeys } from './issuer-keys.ts'
import { lifetimeOf } from './lifetime.ts'

/** Which tokens of a platform are accepted, and what they give. */
export interface WorkloadRule extends IssuerKeysOptions {
  /** The issuer of the platform, byte for byte as in its tokens. Absent for a SPIFFE trust domain whose SVIDs have no `iss`. */
  readonly issuer?: string | undefined
  /** A SPIFFE trust domain, such as `prod.example`: `sub` must be a SPIFFE ID of it. Needs `jwks` or `jwksUri`. */
  readonly trustDomain?: string | undefined
  /** The accepted values of `aud`. Default: the issuer of this server and its token endpoint. */
  readonly audiences?: readonly string[] | undefined
  /** Whether `aud` may name other servers too, which could replay the token here. Default false. */
  readonly manyAudiences?: boolean | undefined
  /**
   * What the claims must be: a value, or a list of them. A value may end in `/*` or `:*`. A name with slashes is a path:
   * `kubernetes.io/namespace`. At least one.
   */
  readonly claims: Readonly<Record<string, string | readonly string[]>>
  /** The id of the client that its tokens are for. */
  readonly client: string
  /** The scopes of the tokens: they must make sense without a user. */
  readonly scopes: readonly string[]
  /** The resources of the tokens. Default: all resources of the server. */
  readonly resources?: readonly string[] | undefined
  /** The lifetime of a token, in seconds, at most 3600. Default 900. */
  readonly lifetime?: number | undefined
  /** The maximum lifetime of an assertion, in seconds, at most 3600. Default 3600. */
  readonly maxAssertionLifetime?: number | undefined
  /**
   * `once`: an assertion is accepted once, and needs a `jti`. `window`: up to 20 times until it expires, for Kubernetes and SPIFFE,
   * which reuse theirs. Default `once`.
   */
  readonly replay?: 'once' | 'window' | undefined
  /**
   * Whether other owners have tokens of this issuer too: a rule must then name its owner. Always so for GitHub Actions and
   * gitlab.com. Default true, and false with `jwks` or `trustDomain`.
   */
  readonly shared?: boolean | undefined
}

/** A checked rule. */
export interface ReadRule {
  readonly options: WorkloadRule
  readonly keys: IssuerKeys
  readonly resources: readonly string[]
  readonly lifetime: number
  readonly maxAssertionLifetime: number
}

/** @throws Error that names the option at fault */
export function readRule(server: ServerContext, read: ReadIssuerKeys, options: WorkloadRule): ReadRule {
  const { issuer, trustDomain, scopes, client } = options
  const option = `jwtBearer: the workload rule of ${client}`
  if (issuer === undefined && trustDomain === undefined)
    throw new Error(`${option} needs issuer or trustDomain`)
  if (issuer === server.issuer) throw new Error(`${option}: a server does not trust itself`)
  checkConditions(option, options)
  const scopeList = clientCredentialsMetadata('operator', server.scopes).client_credentials_scopes
  const fault = scopeList?.safeParse(scopes).error?.issues[0]
  if (fault !== undefined || scopes.length === 0)
    throw new Error(`${option}: scopes: ${fault?.message ?? 'must not be empty'}`)
  return {
    options,
    keys: read(option, { ...options, issuer, svid: trustDomain !== undefined }),
    resources: readResources(option, options.resources, server),
    lifetime: lifetimeOf(option, 'lifetime', options.lifetime, 900),
    maxAssertionLifetime: lifetimeOf(option, 'maxAssertionLifetime', options.maxAssertionLifetime, 3600),
  }
}

/** Anybody can have a token of these. */
const SHARED_ISSUERS = ['https://token.actions.githubusercontent.com', 'https://gitlab.com']
/** Claims that name an owner, and are never given to another one. */
const OWNER_ID = /^(repository|repository_owner|project|namespace|enterprise|organization|workspace)_id$/
const WILDCARD = /[/:]\*$/

/** @throws Error for a condition that lets other owners in */
function checkConditions(option: string, rule: WorkloadRule): void {
  const { claims, issuer = '', jwks, trustDomain } = rule
  const { shared = jwks === undefined && trustDomain === undefined } = rule
  const conditions = Object.entries(claims).map(([name, value]) => [name, [value].flat()] as const)
  const values = conditions.flatMap(([, list]) => list)
  if (values.length === 0 || conditions.some(([, list]) => list.length === 0))
    throw new Error(`${option}: claims must not be empty`)
  const wrong = values.find((value) => value.replace(WILDCARD, '').includes('*'))
  if (wrong !== undefined) throw new Error(`${option}: * may only end a value, after / or :, not ${wrong}`)
  if (!shared && !SHARED_ISSUERS.includes(issuer)) return
  if (!conditions.some(namesOwner))
    throw new Error(
      `${option}: others have tokens of ${issuer} too, so claims must name sub or an owner's id. If it is yours alone, set shared: false`,
    )
}

function namesOwner([name, values]: readonly [string, readonly string[]]): boolean {
  if (OWNER_ID.test(name)) return values.every((value) => !value.includes('*'))
  // `repo:*` is every repository of the platform.
  return name === 'sub' && values.every((value) => !value.endsWith('*') || value.includes('/'))
}

/** Whether a rule is about these claims. Nothing of them need be verified yet. */
export function matches(rule: WorkloadRule, claims: AssertionClaims): boolean {
  return isOfIssuer(rule, claims) && differingClaims(rule, claims).length === 0
}

/** SPIFFE ID 2.1 to 2.3: no dot segment, no empty one, nothing percent-encoded. `/ns/prod/../dev` would meet `/ns/prod/*`. */
const SPIFFE_ID = /^spiffe:\/\/[a-z0-9._-]{1,255}(\/(?!\.{1,2}(\/|$))[\w.-]+)+$/
const MAX_SPIFFE_ID = 2048

/** Whether a rule is about the issuer of these claims, and about its trust domain. */
export function isOfIssuer({ issuer, trustDomain }: WorkloadRule, { iss, sub }: AssertionClaims): boolean {
  if (issuer !== undefined && iss !== issuer) return false
  const name = String(sub)
  if (name.startsWith('spiffe:') && !(name.length <= MAX_SPIFFE_ID && SPIFFE_ID.test(name))) return false
  return trustDomain === undefined || name.startsWith(`spiffe://${trustDomain}/`)
}

/** The names of the claims that a rule wants otherwise. */
export function differingClaims({ claims: required }: WorkloadRule, claims: AssertionClaims): string[] {
  return Object.entries(required)
    .filter(([name, value]) => !holds([value].flat(), claimAt(claims, name)))
    .map(([name]) => name)
}

function holds(accepted: readonly string[], value: unknown): boolean {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return false
  const text = String(value)
  return accepted.some((one) =>
    one.endsWith('*') ? text.startsWith(one.slice(0, -1)) && text.length >= one.length : text === one,
  )
}

/** A claim by its name, or by the path to it. */
function claimAt(claims: AssertionClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('/')
    .reduce<unknown>(
      (value, member) => (Object.hasOwn(Object(value), member) ? Object(value)[member] : undefined),
      claims,
    )
}
