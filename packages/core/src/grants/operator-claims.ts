/** Claims of the operator in tokens and in what describes them: the option `tokenClaims`. */
import { type PublicClient, publicClient } from '../clients/client-record.ts'
import { isLoopbackUrl } from '../http/public-url.ts'
import type { ClaimsUse, Kernel, UserClaims } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant, Terms } from '../kernel/records.ts'
import { OPENID } from '../kernel/scope.ts'
import type { Time } from '../kernel/time.ts'
import type { AccessTokenFormat } from '../tokens/credential.ts'
import type { ExchangePlan } from './grant-type.ts'
import { termsOfPlan, type WithTerms } from './request-terms.ts'

export const TOKEN_CLAIMS_ERRORS = defineErrors({
  token_claims_unavailable: [
    'temporarily_unavailable',
    'The server cannot look up the claims of this token at the moment. Try again',
  ],
})

/** Copies: what the function does to them changes no token. */
export interface TokenClaimsRequest {
  readonly use: ClaimsUse
  /** The client that gets the token, or has it. */
  readonly client: PublicClient
  /** Absent for a client-credentials token. */
  readonly subject: string | undefined
  /** The scopes of the token. */
  readonly scopes: readonly string[]
  /** What the token is bound to (RFC 8707); empty means every resource of the server. */
  readonly resources: readonly string[]
  /**
   * `clientId` is the client that the user approved: for an exchanged token, `client` may be another one. `terms`: what the user
   * decided beside the scopes, such as the organization, as far as the token has it.
   */
  readonly grant: Pick<
    Grant,
    'id' | 'clientId' | 'origin' | 'authTime' | 'acr' | 'amr' | 'createdAt' | 'terms'
  >
  /** Aborted after two seconds. */
  readonly signal: AbortSignal
}

export type TokenClaims = (
  request: TokenClaimsRequest,
) => UserClaims | undefined | Promise<UserClaims | undefined>

export interface TokenClaimsOptions {
  /**
   * Claims of yours, such as `roles` (RFC 9068 2.2.3.1), for tokens, UserInfo and introspection. Called at each of them, with
   * every grant type, before a code or a refresh token is used up; an error, or no answer within two seconds, is a 503. Names of
   * the protocol are left out. At most 2048 bytes as JSON, 4 levels deep. Default: none.
   */
  readonly tokenClaims?: TokenClaims | undefined
}

/**
 * Claims in the result of `tokenClaims` with a name of the protocol, such as `sub` or `scope`. They are left out. Emitted once
 * for each name and use.
 */
export interface TokenClaimsProtected {
  readonly type: 'token_claims_protected'
  readonly names: readonly string[]
  readonly use: ClaimsUse
  readonly clientId: string
}

interface Described {
  readonly grant: Grant
  /** Of the token. */
  readonly terms: Terms | undefined
  readonly client: Client
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** @throws OAuthError `temporarily_unavailable`. @throws Error for claims that no token may have */
export type OperatorClaims = (use: ClaimsUse, described: Described) => Promise<UserClaims>

/** @returns `undefined` without the option */
export function operatorClaims(
  kernel: Kernel & WithTerms,
  { tokenClaims }: TokenClaimsOptions,
): OperatorClaims | undefined {
  if (tokenClaims === undefined) return undefined
  const withoutProtected = protectedNames(kernel)
  return async (use, described) => {
    const { clientId } = described.client
    const claims = await answered(tokenClaims, kernel.time, use, described)
    return withoutProtected(plainClaims(claims, `${use} of ${clientId}`), use, clientId)
  }
}

const DEADLINE_MS = 2000

async function answered(
  tokenClaims: TokenClaims,
  time: Time,
  use: ClaimsUse,
  { grant, terms, client, scopes, resources }: Described,
): Promise<unknown> {
  const { id, clientId, origin, authTime, acr, amr, createdAt, subject } = grant
  const extent = { scopes: [...scopes], resources: [...resources] }
  const decided = terms && { terms: structuredClone(terms) }
  const ofGrant = { id, clientId, origin, authTime, acr, amr: amr && [...amr], createdAt, ...decided }
  const about = { client: structuredClone(publicClient(client)), subject, ...extent, grant: ofGrant }
  try {
    return await withinDeadline(time, 'tokenClaims', async (signal) => tokenClaims({ use, ...about, signal }))
  } catch (cause) {
    throw new OAuthError(TOKEN_CLAIMS_ERRORS.token_claims_unavailable, undefined, { cause })
  }
}

/** What an application looks up. A result that comes later is dropped, and so is its error. @param name of the option, for the error */
export async function withinDeadline<T>(
  time: Time,
  name: string,
  task: (signal: AbortSignal) => Promise<T>,
  milliseconds = DEADLINE_MS,
): Promise<T> {
  const deadline = new AbortController()
  let cancel: (() => void) | undefined
  const late = new Promise<never>((_, reject) => {
    cancel = time.after(milliseconds, () => {
      const error = new Error(`${name} has no result after ${milliseconds} ms`)
      deadline.abort(error)
      reject(error)
    })
  })
  try {
    return await Promise.race([task(deadline.signal), late])
  } finally {
    cancel?.()
  }
}

const MAX_BYTES = 2048
const MAX_DEPTH = 4

/** The claims as plain JSON, as the token will have them. @throws Error that says what is wrong, for the event `failed` */
function plainClaims(returned: unknown, of: string): UserClaims {
  if (returned === undefined || returned === null) return {}
  const json = jsonOf(returned, of)
  if (Buffer.byteLength(json) > MAX_BYTES)
    throw new Error(`tokenClaims: ${of}: more than ${MAX_BYTES} bytes as JSON`)
  const claims: unknown = JSON.parse(json)
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    throw new Error(`tokenClaims: ${of}: not an object`)
  if (depthOf(claims) > MAX_DEPTH) throw new Error(`tokenClaims: ${of}: more than ${MAX_DEPTH} levels deep`)
  return claims as UserClaims
}

function jsonOf(returned: unknown, of: string): string {
  try {
    // A function has no JSON.
    return JSON.stringify(returned) ?? 'null'
  } catch (cause) {
    throw new Error(`tokenClaims: ${of}: no JSON`, { cause })
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

/** Members of tokens and of their descriptions that say who may do what, and for how long. */
const PROTECTED: ReadonlySet<string> = new Set([
  // RFC 7519 4.1, and OpenID Connect Core 2.
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'],
  ...['azp', 'nonce', 'at_hash', 'c_hash', 'acr', 'amr', 'auth_time', 'sid'],
  // RFC 9068 2.2, keys, actors, security events, rich authorization requests.
  ...['client_id', 'scope', 'cnf', 'act', 'may_act', 'events', 'authorization_details'],
  // RFC 7662 2.2.
  ...['active', 'token_type', 'username'],
  '__proto__',
])

/** Whether the server sets the claim of this name itself, so that `tokenClaims` cannot. */
export function isProtectedClaim(name: string, { requestTerms }: WithTerms = {}): boolean {
  return PROTECTED.has(name) || requestTerms?.list.some(({ claims }) => claims.includes(name)) === true
}

function protectedNames({ issuer, emit, requestTerms }: Kernel & WithTerms) {
  const reported = new Set<string>()
  // A server for development: its operator reads the error at once.
  const strict = isLoopbackUrl(issuer)
  return (claims: UserClaims, use: ClaimsUse, clientId: string): UserClaims => {
    const found = Object.keys(claims).filter((name) => isProtectedClaim(name, { requestTerms }))
    if (found.length === 0) return claims
    if (strict) throw new Error(`tokenClaims: ${use}: ${found.join(', ')}: a name of the protocol`)
    const names = found.filter((name) => !reported.has(`${use} ${name}`))
    for (const name of names) reported.add(`${use} ${name}`)
    if (names.length > 0)
      emit({ type: 'token_claims_protected', names, use, clientId } satisfies TokenClaimsProtected)
    return Object.fromEntries(Object.entries(claims).filter(([name]) => !found.includes(name)))
  }
}

/** The claims of the operator for the signed access token and the ID token of an answer, as far as it will have them. @throws OAuthError `temporarily_unavailable` */
export async function claimsOfPlan(
  claims: OperatorClaims,
  accessTokens: AccessTokenFormat,
  client: Client,
  plan: ExchangePlan,
) {
  const { grant, issued, issuedTokenType } = plan
  const { scopes, resources } = issued
  const described = { grant, terms: grant.terms && termsOfPlan(plan), client, scopes, resources }
  // An exchanged token comes alone.
  const hasIdToken = issuedTokenType === undefined && grant.subject !== undefined && scopes.includes(OPENID)
  const [accessToken, idToken] = await Promise.all([
    accessTokens.longest?.(resources) === undefined ? undefined : claims('access_token', described),
    hasIdToken ? claims('id_token', described) : undefined,
  ])
  return { accessToken, idToken }
}
