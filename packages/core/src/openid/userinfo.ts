import { type Claims, claimsAbout } from '../grants/subject.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/http.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { BEARER_REFUSALS } from '../resource/bearer.ts'
import { accessOf, bearerRefusal, type GuardedResource, guardOf } from '../resource/guard.ts'
import type { AccessTokenFormat } from '../tokens/access-token.ts'
import { claimsFor } from './claims.ts'
import { OPENID } from './openid-scope.ts'

/** The UserInfo endpoint (OpenID Connect Core 5.3). A request without a token is a 401: there is no anonymous user. */
export function userinfo(
  kernel: Kernel,
  path: string,
  claims: Claims,
  accessTokens: AccessTokenFormat,
): Endpoint {
  const guard = guardOf(kernel, kernel.issuer, accessTokens)
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
  claims: Claims,
  request: HttpRequest,
): Promise<HttpResponse> {
  const access = await accessOf(guard, request, [OPENID])
  if (access.kind === 'refused') return access.response
  if (access.kind === 'anonymous')
    throw new Error('The guard of UserInfo lets nobody through without a token')
  const { subject, scopes } = access.token
  const user = await claimsAbout(claims, subject)
  if (user === undefined)
    return bearerRefusal(guard, new OAuthError(BEARER_REFUSALS.bearer_subject_gone), [OPENID])
  return json(200, { sub: subject, ...claimsFor(scopes, user) })
}
