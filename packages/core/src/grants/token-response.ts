import type { Client, Grant } from '../kernel/records.ts'
import type { AccessTokenFormat } from '../tokens/access-token.ts'
import { formatRefreshToken } from '../tokens/credential.ts'
import { tokenType } from '../tokens/proof-of-possession.ts'
import type { PrefetchedGrant } from './change-grant.ts'
import type { IssuedTokens } from './grant.ts'
import type { Exchanged } from './grant-type.ts'

/** RFC 6749 5.1. A room may add members of its own, such as `id_token`. */
export interface TokenResponse {
  readonly access_token: string
  /** RFC 8693 2.2.1. */
  readonly issued_token_type?: string | undefined
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string | undefined
  /** What the access token is good for, if the server says so (draft-mcguinness-oauth-resource-token-resp). */
  readonly resource?: string | readonly string[] | undefined
}

/** Extra members of the token response, from a room. */
export interface TokenMembers {
  /**
   * Waits, before anything is consumed, for what the members need of others. Grant types without a `credential` go without.
   *
   * @returns `undefined` when there is nothing to wait for
   * @throws OAuthError `temporarily_unavailable`
   */
  ready?(client: Client, prefetched: PrefetchedGrant): Promise<void> | undefined
  /** Checks, before anything is consumed, that the members can be made. @throws OAuthError `temporarily_unavailable` */
  precheck(client: Client, grant: Grant): void
  /** @returns `undefined` when there is nothing to add */
  membersOf(client: Client, exchanged: Exchanged, response: TokenResponse): Promise<object> | undefined
}

export interface TokenResponseContext {
  readonly accessTokens: AccessTokenFormat
  readonly tokenMembers: readonly TokenMembers[]
  /** What an access token is good for that is bound to nothing; absent if answers do not name resources. */
  readonly namedResources?: readonly string[] | undefined
}

/** The answer to an exchange, with the members from all rooms. Returns a promise only if one of them needs time. */
export function tokenResponse(
  client: Client,
  exchanged: Exchanged,
  context: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  const { grant, issued } = exchanged
  const written = context.accessTokens.write({ grantId: grant.id, secret: issued.accessToken }, grant)
  if (typeof written !== 'string') return withPendingAccessToken(client, exchanged, written, context)
  return withMembers(client, exchanged, responseOf(written, exchanged, context), context)
}

async function withPendingAccessToken(
  client: Client,
  exchanged: Exchanged,
  accessToken: Promise<string>,
  context: TokenResponseContext,
): Promise<TokenResponse> {
  return withMembers(client, exchanged, responseOf(await accessToken, exchanged, context), context)
}

function responseOf(
  accessToken: string,
  { grant, issued, issuedTokenType }: Exchanged,
  { namedResources }: TokenResponseContext,
): TokenResponse {
  const { refreshToken, scopes, expiresIn, jkt } = issued
  return {
    access_token: accessToken,
    issued_token_type: issuedTokenType,
    token_type: tokenType(jkt),
    expires_in: expiresIn,
    scope: scopes.join(' '),
    refresh_token: refreshToken && formatRefreshToken({ grantId: grant.id, ...refreshToken }),
    resource: namedResources && resourceOf(issued, namedResources),
  }
}

function resourceOf(
  { resources: bound }: IssuedTokens,
  all: readonly string[],
): string | readonly string[] | undefined {
  const resources = bound.length === 0 ? all : bound
  return resources.length === 1 ? resources[0] : resources
}

function withMembers(
  client: Client,
  exchanged: Exchanged,
  response: TokenResponse,
  { tokenMembers }: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  if (exchanged.issuedTokenType !== undefined) return response
  let added: readonly Promise<object>[] | undefined
  for (const members of tokenMembers) {
    const more = members.membersOf(client, exchanged, response)
    if (more !== undefined) added = [...(added ?? []), more]
  }
  return added === undefined ? response : joined(response, added)
}

/** No feature replaces a member of core, or of a feature before it. */
async function joined(response: TokenResponse, added: readonly Promise<object>[]): Promise<TokenResponse> {
  return Object.assign(response, ...(await Promise.all(added)).reverse(), { ...response })
}
