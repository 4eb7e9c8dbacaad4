import type { Client, Grant } from '../kernel/records.ts'
import { asksForOpenId } from '../kernel/scope.ts'
import type { UserClaims } from '../kernel/user-claims.ts'
import type { AccessTokenFormat } from '../tokens/credential.ts'
import type { IssuedTokens, Outcome } from './grant.ts'
import type { Exchanged, PrepareResponse } from './grant-type.ts'
import type { OperatorClaims } from './operator-claims.ts'

/** The claims of the operator for the tokens of one answer. */
export interface ResponseClaims {
  /** For a signed access token; absent for an opaque one. */
  readonly accessToken?: UserClaims | undefined
  readonly idToken?: UserClaims | undefined
}

/** The claims for the answer to one request. */
export interface ClaimsOfRequest {
  readonly prepareResponse: PrepareResponse
  /** They are loaded now, if the grant type did not prepare the response. */
  of(exchanged: Exchanged): Promise<ResponseClaims>
}

export function claimsOfRequest(
  claims: OperatorClaims,
  accessTokens: AccessTokenFormat,
  client: Client,
): ClaimsOfRequest {
  let prepared: ResponseClaims | undefined

  async function load(grant: Grant, issued: IssuedTokens, hasIdToken: boolean): Promise<ResponseClaims> {
    const { scopes, resources } = issued
    const described = { grant, client, scopes, resources }
    const [accessToken, idToken] = await Promise.all([
      accessTokens.longest?.(resources) === undefined ? undefined : claims('access_token', described),
      hasIdToken ? claims('id_token', described) : undefined,
    ])
    return { accessToken, idToken }
  }

  return {
    async prepareResponse(outcome, issuedTokenType) {
      if (outcome.kind === 'ended') return outcome
      const { grant, result } = outcome
      prepared = await load(grant, result, hasIdToken(grant, result, issuedTokenType))
      return outcome
    },
    of: async ({ grant, issued, issuedTokenType }) =>
      prepared ?? (await load(grant, issued, hasIdToken(grant, issued, issuedTokenType))),
  }
}

/** An exchanged token comes alone. */
function hasIdToken({ subject }: Grant, { scopes }: IssuedTokens, issuedTokenType?: string): boolean {
  return issuedTokenType === undefined && subject !== undefined && asksForOpenId(scopes)
}

/** Without the option `tokenClaims`. */
export function asItIs<Result extends IssuedTokens>(outcome: Outcome<Result>): Outcome<Result> {
  return outcome
}
