import type { Endpoint } from '../http/endpoint.ts'
import { referredError } from '../http/error-response.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/http.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { OPENID } from '../kernel/scope.ts'
import { type Claims, claimsAbout, type UserClaims } from '../kernel/user-claims.ts'
import type { AccessToken } from '../resource/access.ts'
import { BEARER_ERRORS, tokenError } from '../resource/challenge.ts'
import { accessOf, type GuardedResource } from '../resource/resource-server.ts'
import { tokenType } from '../tokens/credential.ts'
import type { ReleaseClaims } from './claims.ts'

/** Where the claims come from. */
interface UserinfoClaims {
  readonly claims: Claims
  readonly release: ReleaseClaims
  /** Of the option `tokenClaims`. */
  readonly ofOperator: ((token: AccessToken) => Promise<UserClaims>) | undefined
}

/** The UserInfo endpoint (OpenID Connect Core 5.3). A request without a token is a 401: there is no anonymous user. */
export function userinfo(path: string, claims: UserinfoClaims, guard: GuardedResource): Endpoint {
  return {
    path,
    metadataName: 'userinfo_endpoint',
    summary: 'Claims of the user (OpenID Connect Core 5.3)',
    methods: ['GET', 'POST'],
    cors: true,
    answer: (request) => answerUserinfo(guard, claims, request),
  }
}

async function answerUserinfo(
  guard: GuardedResource,
  { claims, release, ofOperator }: UserinfoClaims,
  request: HttpRequest,
): Promise<HttpResponse> {
  const access = await accessOf(guard, request, [OPENID])
  if (access.kind === 'refused') return access.response
  if (access.kind === 'anonymous') throw new Error('The guard of UserInfo accepted a request without a token')
  const { token, headers } = access
  const { subject, scopes } = token
  const [user, more] = await Promise.all([claimsAbout(claims, subject), ofOperator?.(token)])
  if (user === undefined) {
    const gone = new OAuthError(BEARER_ERRORS.bearer_subject_gone)
    const error = guard.attempts ? referredError(gone, request, guard.attempts) : gone
    return tokenError(guard, error, { scopes: [OPENID] }, tokenType(token.jkt))
  }
  return json(200, { sub: subject, ...release(scopes, user), ...more }, headers)
}
