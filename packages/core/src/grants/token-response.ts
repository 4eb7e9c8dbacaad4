/** The response to a token request (RFC 6749 5.1). */
import type { Client } from '../kernel/records.ts'
import { type AccessTokenFormat, formatRefreshToken, tokenType } from '../tokens/credential.ts'
import type { IssuedTokens } from './grant.ts'
import type { Exchanged, TokenMembers, TokenResponse } from './grant-type.ts'
import type { ResponseClaims } from './response-claims.ts'

export interface TokenResponseContext {
  readonly accessTokens: AccessTokenFormat
  readonly tokenMembers: readonly TokenMembers[]
  /** Where an access token is valid that is bound to no resource; absent if answers do not name resources. */
  readonly namedResources?: readonly string[] | undefined
}

/** An exchange, with the claims of the operator for its answer. */
interface Answered {
  readonly client: Client
  readonly exchanged: Exchanged
  readonly claims: ResponseClaims | undefined
}

/** The answer to an exchange, with the members of all features. Returns a promise only if one of them needs time. */
export function tokenResponse(
  answered: Answered,
  context: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  const { exchanged, claims } = answered
  const { grant, issued, issuedTokenType } = exchanged
  const { refreshToken, scopes, expiresIn, jkt } = issued
  const { accessTokens, namedResources } = context
  const secret = { grantId: grant.id, secret: issued.accessToken }
  const written = accessTokens.write(secret, grant, claims?.accessToken)
  const response = {
    // A promise of it is replaced below.
    access_token: written as string,
    issued_token_type: issuedTokenType,
    token_type: tokenType(jkt),
    expires_in: expiresIn,
    scope: scopes.join(' '),
    refresh_token: refreshToken && formatRefreshToken({ grantId: grant.id, ...refreshToken }),
    resource: namedResources && resourceOf(issued, namedResources),
  }
  if (typeof written === 'string') return withMembers(answered, response, context)
  return written.then((access_token) => withMembers(answered, { ...response, access_token }, context))
}

function resourceOf(
  { resources: bound }: IssuedTokens,
  all: readonly string[],
): string | readonly string[] | undefined {
  const resources = bound.length === 0 ? all : bound
  return resources.length === 1 ? resources[0] : resources
}

function withMembers(
  { client, exchanged, claims }: Answered,
  response: TokenResponse,
  { tokenMembers }: TokenResponseContext,
): TokenResponse | Promise<TokenResponse> {
  if (exchanged.issuedTokenType !== undefined) return response
  let added: readonly Promise<object>[] | undefined
  for (const members of tokenMembers) {
    const more = members.membersOf(client, exchanged, response, claims?.idToken)
    if (more !== undefined) added = [...(added ?? []), more]
  }
  return added === undefined ? response : joined(response, added)
}

/** No feature replaces a member of core, or of a feature before it. */
async function joined(response: TokenResponse, added: readonly Promise<object>[]): Promise<TokenResponse> {
  return Object.assign(response, ...(await Promise.all(added)).reverse(), { ...response })
}
