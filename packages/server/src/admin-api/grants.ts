import type { AuthorizationServer, UserGrant } from '@grantkit/core'
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import {
  type AdminEnv,
  json,
  moment,
  NO_CONTENT,
  type Operations,
  PageQuery,
  page,
  pageOf,
  text,
} from './operation.ts'
import { Sub, UserPath } from './users.ts'

/** What users allowed: grants, listed and ended. */

const time = z.iso.datetime()
const Grant = z
  .object({
    id: z.string(),
    client_id: z.string(),
    client_name: z.string().optional(),
    scopes: z.array(z.string()),
    resources: z.array(z.string()).openapi({ description: 'Empty: every resource of this server' }),
    created_at: time,
    used_at: time,
    expires_at: time,
  })
  .openapi('Grant')
const GrantPage = pageOf('GrantPage', Grant)
const GrantQuery = z.strictObject({ ...PageQuery, client_id: text.optional() })
const GrantPath = z.object({ sub: Sub, grant: text })

const tags = ['Grants']

export function grantsOfUsers(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  grants: AuthorizationServer['grants'],
): void {
  const list = operation('admin:read', {
    ...{ method: 'get', path: '/users/{sub}/grants', operationId: 'listGrants', tags },
    request: { params: UserPath, query: GrantQuery },
    summary: 'List the grants of a user, the newest first',
    responses: { 200: json('A page of grants', GrantPage) },
  })
  const revokeAll = operation('admin:write', {
    ...{ method: 'delete', path: '/users/{sub}/grants', operationId: 'revokeGrants', tags },
    request: { params: UserPath },
    summary: 'End all grants of a user',
    description: 'The user can allow every app again.',
    responses: NO_CONTENT,
  })
  const revoke = operation('admin:write', {
    ...{ method: 'delete', path: '/users/{sub}/grants/{grant}', operationId: 'revokeGrant', tags },
    request: { params: GrantPath },
    summary: 'End a grant with all its tokens',
    responses: NO_CONTENT,
  })
  app
    .openapi(list, async (c) => {
      const { limit, cursor: after, client_id: clientId } = c.req.valid('query')
      const { grants: shown, next } = await grants.list(c.req.valid('param').sub, { limit, after, clientId })
      return c.json(page(shown.map(grantOf), next), 200)
    })
    .openapi(revokeAll, async (c) => {
      await grants.revokeAll(c.req.valid('param').sub, { by: 'operator' })
      return c.body(null, 204)
    })
    .openapi(revoke, async (c) => {
      const { sub, grant } = c.req.valid('param')
      await grants.revoke(sub, grant, 'operator')
      return c.body(null, 204)
    })
}

function grantOf({ id, clientId, client, ...grant }: UserGrant): z.output<typeof Grant> {
  return {
    id,
    client_id: clientId,
    client_name: client?.clientName,
    scopes: [...grant.scopes],
    resources: [...grant.resources],
    created_at: moment(grant.createdAt),
    used_at: moment(grant.usedAt),
    expires_at: moment(grant.expiresAt),
  }
}
