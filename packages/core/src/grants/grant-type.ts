import type { z } from 'zod'
import type { HttpRequest } from '../http/http.ts'
import type { Parameters } from '../http/parameters.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Client, Grant } from '../kernel/records.ts'
import { includesAll, SCOPE_ERRORS, type ScopeCatalogue, scopeCeiling } from '../kernel/scope.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { PrefetchedGrant } from './change-grant.ts'
import type { IssuedTokens } from './grant.ts'

/** One value of `grant_type` at the token endpoint (RFC 6749 4.5). */
export interface GrantType {
  readonly name: string
  /** The parameters of its request, without the client credentials. */
  readonly message: z.ZodType
  /** The parameter that names a grant. The grant is then loaded in parallel with the client. */
  readonly credential?: string | undefined
  /** The id of the transient that the credential names beside its grant. It is loaded with them, as `prefetched.transient`. */
  transientOf?(credential: string): string | undefined
  /**
   * The client that the credential belongs to, for a request that names no client. RFC 6749 3.2.1 demands `client_id` of
   * public clients for a code alone. @throws OAuthError when it belongs to nobody
   */
  clientOf?(form: Parameters): Promise<string>
  /** Whether a self-registered client may use it. Default: only an integration may. */
  readonly selfRegistered?: boolean | undefined
  /** The longest lives of what it issues. Default: `lifetimes` of the server. */
  readonly lifetimes?: Partial<IssuedLifetimes> | undefined
  /**
   * Answers a token request. The client is authenticated and registered for this grant type.
   *
   * @throws OAuthError before anything is consumed, or when the rule itself consumes the credential
   */
  exchange(client: Client, request: TokenRequest): Promise<Exchanged>
}

/** Seconds. */
interface IssuedLifetimes {
  readonly accessToken: number
  /** Of an unused refresh token. */
  readonly refreshToken: number
  /** Of a grant with a refresh token, no matter how often it is refreshed. */
  readonly grant: number
}

/** A request at the token endpoint (RFC 6749 3.2). */
export interface TokenRequest {
  readonly form: Parameters
  /**
   * When it arrived, in epoch seconds. A grant type that repeats answers decides by it whether the request is in time: the process may
   * have stood still since.
   */
  readonly arrivedAt: number
  /** What the credential names, being read. */
  readonly prefetched: PrefetchedGrant | undefined
  /** Call it inside the transition: if the answer cannot be given, no code is lost. */
  readonly assertCanRespond: AssertCanRespond
  /** The thumbprint of the key that the request proves: bind the tokens to it. */
  readonly jkt: string | undefined
  /** As it was sent: limits ask where it comes from. */
  readonly http: HttpRequest
}

/** @throws OAuthError `temporarily_unavailable` when an answer for this grant could not be made now */
export type AssertCanRespond = (client: Client, grant: Grant) => void

/** The result of an exchange. The token endpoint makes the answer from it. */
export interface Exchanged {
  readonly grant: Grant
  readonly issued: IssuedTokens
  /** The `nonce` of the authorization request, only for the first ID token of a grant (OpenID Connect Core 12.2). */
  readonly nonce?: string | undefined
  /** `issued_token_type` (RFC 8693 2.2.1). The answer is then this one token: nobody has signed in for its client. */
  readonly issuedTokenType?: string | undefined
}

/** The terms of the server for the grant types of features. */
export interface IssuedTerms {
  readonly grantTypes: readonly GrantType[]
  readonly scopes: ScopeCatalogue
  readonly lifetimes: IssuedLifetimes
  /** Epoch seconds. */
  readonly now: () => number
}

/**
 * Holds a grant type of a feature to the terms of the server. Core's own keep them by themselves: they may answer what was
 * granted under earlier terms.
 *
 * @throws OAuthError `invalid_scope`
 * @throws Error for what lives too long: a fault of the feature, which the event `failed` names
 */
export function requireWithinTerms(
  grantType: GrantType,
  client: Client,
  exchanged: Exchanged,
  { grantTypes, scopes, lifetimes, now }: IssuedTerms,
): void {
  if (!grantTypes.includes(grantType)) return
  requireScopes(client, exchanged, scopes)
  const { name, lifetimes: own } = grantType
  const limits = { ...lifetimes, ...own }
  for (const [issued, lives] of Object.entries(lifetimesOf(exchanged, now()))) {
    const most = limits[issued as keyof IssuedLifetimes]
    // No comparison with NaN holds.
    if (!(lives <= most)) throw new Error(`${name}: ${issued} lives ${lives} seconds, longer than ${most}`)
  }
}

function requireScopes(client: Client, { grant, issued }: Exchanged, scopes: ScopeCatalogue): void {
  const given = [...grant.scopes, ...issued.scopes, ...(issuedToken({ grant, issued })?.scopes ?? [])]
  if (!given.every((name) => Object.hasOwn(scopes, name))) throw new OAuthError(SCOPE_ERRORS.scope_unknown)
  const ofItsUser = grant.subject !== undefined && grant.clientId === client.clientId
  const ceiling = ofItsUser ? scopeCeiling(client) : undefined
  if (ceiling !== undefined && !includesAll(ceiling, given))
    throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
}

/** In seconds. A grant without a new refresh token gives nothing that lives longer than its access token. */
function lifetimesOf({ grant, issued }: Exchanged, now: number): Partial<IssuedLifetimes> {
  const stored = issuedToken({ grant, issued })?.expiresAt ?? now
  const accessToken = Math.max(issued.expiresIn, stored - now)
  if (issued.refreshToken === undefined) return { accessToken }
  return { accessToken, refreshToken: (grant.refresh?.expiresAt ?? now) - now, grant: grant.expiresAt - now }
}

function issuedToken({ grant, issued }: Exchanged): AccessTokenState | undefined {
  const hash = sha256(issued.accessToken)
  return grant.accessTokens.find((token) => token.hash === hash)
}
