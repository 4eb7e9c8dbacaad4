import type * as z from 'zod'
import type { HttpRequest } from '../http/http.ts'
import type { Parameters } from '../http/message.ts'
import type { BaseEvent } from '../kernel/events.ts'
import type { UserClaims } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Client, Grant, Transient } from '../kernel/records.ts'
import { includesAll, SCOPE_ERRORS, type ScopeCatalogue, scopeCeiling } from '../kernel/scope.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Stored } from '../kernel/store.ts'
import type { IssuedTokens } from './grant.ts'

/** One value of `grant_type` at the token endpoint (RFC 6749 4.5). */
export interface GrantType {
  readonly name: string
  /** The parameters of its request, without the client credentials. */
  readonly message: z.ZodType
  /** The parameter that names a grant. The grant is then loaded in parallel with the client. */
  readonly credential?: string | undefined
  /**
   * The id of the transient that the credential names. It is loaded with the grant, as `transient` of the request. With an observer,
   * an error has its `reference` if it has the client as `clientId`, and the SHA-256 of the credential as `codeHash`.
   */
  transientOf?(credential: string): string | undefined
  /**
   * The client that the credential belongs to, for a request without a client. RFC 6749 3.2.1 requires the `client_id` of
   * public clients for a code alone. @throws OAuthError when it belongs to no client
   */
  clientOf?(form: Parameters): Promise<string>
  /** Whether a self-registered client may use it. Default: only a static client may. */
  readonly selfRegistered?: boolean | undefined
  /** The maximum lifetimes of its tokens. Default: `lifetimes` of the server. */
  readonly lifetimes?: Partial<IssuedLifetimes> | undefined
  /**
   * Plans the answer to a token request, and writes nothing: the token endpoint checks the plan, and then commits it. It is called
   * again, with the new record, if another request has changed the record meanwhile.
   *
   * @throws OAuthError when nothing is consumed, or when the rule itself ends the grant
   */
  exchange(request: TokenRequest): ExchangePlan | Promise<ExchangePlan>
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
  /** It is authenticated, and registered for this grant type. */
  readonly client: Client
  readonly form: Parameters
  /**
   * When it arrived, in epoch seconds. A grant type that repeats answers compares this time with the retry window, because the
   * process may have been paused since.
   */
  readonly arrivedAt: number
  /** The time of the answer, in epoch seconds, for everything else: rules, tokens, keys. */
  readonly now: number
  /** The grant that the credential names, as it was just read. */
  readonly stored: Stored<Grant> | undefined
  /** The transient that the credential names, if it names one. */
  readonly transient: Promise<Stored<Transient> | undefined> | undefined
  /** The thumbprint of the key that the request proves: bind the tokens to it. */
  readonly jkt: string | undefined
  /** The whole request: limits need its source. */
  readonly http: HttpRequest
}

/** The answer to a token request, before anything is written. */
export interface ExchangePlan {
  /** As `commit` writes it, with the issued tokens. */
  readonly grant: Grant
  readonly issued: IssuedTokens
  /** `issued_token_type` (RFC 8693 2.2.1). The response then has only this token, and no ID token: no user has signed in at its client. */
  readonly issuedTokenType?: string | undefined
  /**
   * Writes it, and with that consumes the credential. Absent if an earlier answer is repeated as it was.
   *
   * @returns `false` if another request has changed the record: the exchange begins again
   * @throws OAuthError if the credential is used up
   */
  readonly commit?: (() => Promise<boolean>) | undefined
  /** Emitted once it is written. */
  readonly events?: readonly BaseEvent[] | undefined
}

/** RFC 6749 5.1. A feature may add members, such as `id_token`. */
export interface TokenResponse {
  readonly access_token: string
  /** RFC 8693 2.2.1. */
  readonly issued_token_type?: string | undefined
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string | undefined
  /** Where the access token is valid, if the server names that (draft-mcguinness-oauth-resource-token-resp). */
  readonly resource?: string | readonly string[] | undefined
}

/** Members that a feature adds to the token response. */
export interface TokenMembers {
  /**
   * Finds, before anything is consumed, what the members need. Not called for an exchanged token, which comes alone.
   *
   * @returns makes the members; `undefined` when there is nothing to add
   * @throws OAuthError when the answer cannot be made
   */
  prepare(
    request: TokenRequest,
    plan: ExchangePlan,
  ): MakeMembers | undefined | Promise<MakeMembers | undefined>
}

/** @param claims of the option `tokenClaims`, for an ID token */
export type MakeMembers = (
  response: TokenResponse,
  claims: UserClaims | undefined,
) => object | Promise<object>

/** The terms of the server for the grant types of features. */
export interface IssuedTerms {
  readonly grantTypes: readonly GrantType[]
  readonly scopes: ScopeCatalogue
  readonly lifetimes: IssuedLifetimes
}

/**
 * Checks what a grant type of a feature issued against the terms of the server. The grant types of core apply the terms by
 * themselves: they may answer a grant that was made under earlier terms.
 *
 * @throws OAuthError `invalid_scope`
 * @throws Error for a token that lives too long: a fault of the feature, which the event `failed` names
 */
export function requireWithinTerms(
  { name, lifetimes: own }: GrantType,
  { client, now }: TokenRequest,
  plan: ExchangePlan,
  { scopes, lifetimes }: IssuedTerms,
): void {
  requireScopes(client, plan, scopes)
  const limits = { ...lifetimes, ...own }
  for (const [issued, lives] of Object.entries(lifetimesOf(plan, now))) {
    const limit = limits[issued as keyof IssuedLifetimes]
    // No comparison with NaN holds.
    if (!(lives <= limit)) throw new Error(`${name}: ${issued} lives ${lives} seconds, longer than ${limit}`)
  }
}

function requireScopes(client: Client, { grant, issued }: ExchangePlan, scopes: ScopeCatalogue): void {
  const names = [...grant.scopes, ...issued.scopes, ...(issuedToken(grant, issued)?.scopes ?? [])]
  if (!names.every((name) => Object.hasOwn(scopes, name))) throw new OAuthError(SCOPE_ERRORS.scope_unknown)
  const ofItsUser = grant.subject !== undefined && grant.clientId === client.clientId
  const ceiling = ofItsUser ? scopeCeiling(client, scopes) : undefined
  if (ceiling !== undefined && !includesAll(ceiling, names))
    throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
}

/**
 * In seconds. Without a new refresh token, nothing lives longer than the access token. The clock of this replica may be behind the
 * one that wrote a record, and then a lifetime counts from the time in the record.
 */
function lifetimesOf({ grant, issued }: ExchangePlan, now: number): Partial<IssuedLifetimes> {
  const token = issuedToken(grant, issued)
  const begun = Math.max(now, token?.issuedAt ?? now)
  const accessToken = Math.max(issued.expiresIn - (begun - now), (token?.expiresAt ?? begun) - begun)
  if (issued.refreshToken === undefined) return { accessToken }
  return {
    accessToken,
    refreshToken: (grant.refresh?.expiresAt ?? now) - Math.max(now, grant.usedAt),
    grant: grant.expiresAt - Math.max(now, grant.createdAt),
  }
}

/** The record of an issued token; `undefined` if it was revoked before its answer is repeated. */
export function issuedToken(grant: Grant, issued: IssuedTokens): AccessTokenState | undefined {
  const hash = sha256(issued.accessToken)
  return grant.accessTokens.find((token) => token.hash === hash)
}
