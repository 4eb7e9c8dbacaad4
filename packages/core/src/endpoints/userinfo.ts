import { accessOf, bearerRefusal, type GuardedResource, tokenRequired } from '../access.ts'
import { type HttpRequest, type HttpResponse, json } from '../http.ts'
import { OAuthError } from '../oauth-error.ts'
import { wellKnownAddress } from '../paths.ts'
import { claimsFor } from '../rules/claims.ts'
import { canonicalResource } from '../rules/resource-indicator.ts'
import type { ServerContext } from '../server-context.ts'

/** The UserInfo endpoint (OpenID Connect Core 5.3). There is no anonymous user, so here no token is a 401. */
export async function userinfo(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const guard: GuardedResource = {
    grants: server.store.grants,
    resource: canonicalResource(server.issuer),
    metadataUrl: wellKnownAddress('oauth-protected-resource', server.issuer),
    anonymous: 'allow',
    now: server.now,
    onEvent: server.onEvent,
  }
  const access = await accessOf(guard, request, ['openid'])
  if (access.kind === 'anonymous') return tokenRequired(guard)
  if (access.kind === 'refused') return access.response
  const { subject, scopes } = access.token
  const user = await server.claims(subject)
  if (user === undefined) return bearerRefusal(guard, new OAuthError('bearer_subject_gone'))
  return json(200, { sub: subject, ...claimsFor(scopes, user) })
}
