import { protect } from '@grantkit/adapter-hono'
import {
  type AuthorizationServer,
  type Authorized,
  type AuthorizedClient,
  OAuthError,
  type ResourceServer,
} from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import type { Context, MiddlewareHandler } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import { type Actor, actingAs } from '../audit/actor.ts'
import type { AdminScope } from '../authorization/admin-scopes.ts'

/** Variables of a request after the guard. */
export interface AdminEnv {
  Variables: { auth: Authorized | AuthorizedClient }
}

/** The middleware of an operation that needs this scope. */
export type Guarded = (scope: AdminScope) => MiddlewareHandler<AdminEnv>[]

export interface AccessOptions {
  readonly guard: ResourceServer<AdminScope>
  readonly directory: AccountDirectory
  readonly clients: Pick<AuthorizationServer['clients'], 'find'>
}

const ACCESS_ERRORS = defineErrors({
  token_without_resource: [
    'access_denied',
    'The access token is good for every resource; request one with the resource of the admin API',
    403,
  ],
  client_not_added: ['access_denied', 'Only a client that an operator added may use the admin API', 403],
  client_without_scope: ['access_denied', 'The client is not added with this scope of the admin API', 403],
  user_not_admin: ['access_denied', 'The user of the access token is no admin', 403],
  own_account: ['access_denied', 'This is your own account; another admin has to change it', 403],
})

/**
 * Who may use the admin API: a client with its own token, or with the token of a user who is an admin. Both are checked
 * at each request, so a removed client, a removed scope of it and a removed admin mark count at once. The trail names the client or the user.
 */
export function adminAccess({ guard, directory, clients }: AccessOptions): Guarded {
  const tokens = guard.allowing({ clientCredentials: true })
  const requireOperator =
    (scope: AdminScope): MiddlewareHandler<AdminEnv> =>
    async (c, next) => {
      const { token } = c.var.auth
      // Every other API of this server gets such tokens too, and could use one here.
      if (token.resources.length === 0) throw new OAuthError(ACCESS_ERRORS.token_without_resource)
      // Any program can register itself and ask an admin for consent.
      const client = await clients.find(token.clientId)
      if (client?.origin !== 'integration') throw new OAuthError(ACCESS_ERRORS.client_not_added)
      // The client may have lost it since, or the token is older than this rule.
      const own = token.by === 'client' ? client.clientCredentialsScopes : client.scopes
      if (own?.includes(scope) !== true) throw new OAuthError(ACCESS_ERRORS.client_without_scope)
      if (token.by !== 'client' && !(await directory.isAdmin(token.subject)))
        throw new OAuthError(ACCESS_ERRORS.user_not_admin)
      return actingAs(actorOf(c), next)
    }
  return (scope) => [protect(tokens, scope), requireOperator(scope)]
}

/** Who acts: the client itself, or the user it acts for. */
export function actorOf(c: Context<AdminEnv>): Actor {
  const { token } = c.var.auth
  return token.by === 'client' ? `client:${token.clientId}` : `account:${token.subject}`
}

/** Administrators cannot lock themselves out. @throws OAuthError `access_denied` */
export function refuseOwnAccount(c: Context<AdminEnv>, sub: string): void {
  if (actorOf(c) === `account:${sub}`) throw new OAuthError(ACCESS_ERRORS.own_account)
}
