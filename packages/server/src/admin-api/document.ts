import type { ScopeDefinition } from '@grantkit/core'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { ADMIN_SCOPES, adminResource } from '../authorization/admin-scopes.ts'
import type { AdminEnv } from './access.ts'

export interface AdminDocument {
  readonly baseUrl: string
}

const TAGS = {
  Users: 'Accounts, and who is an admin.',
  Grants: 'What users allowed.',
  Clients: 'Applications and services.',
  Service: 'Health, signing keys and the audit trail.',
}

/**
 * The OpenAPI document of the admin API as JSON, generated from its routes at the first call. It takes milliseconds and does not
 * change afterwards.
 */
export function adminDocument(app: OpenAPIHono<AdminEnv>, { baseUrl }: AdminDocument): () => string {
  const tokenUrl = `${baseUrl}/api/oauth/token`
  const scopes = Object.fromEntries(
    Object.entries<ScopeDefinition>(ADMIN_SCOPES).map(([name, { description }]) => [
      name,
      String(description),
    ]),
  )
  app.openAPIRegistry.registerComponent('securitySchemes', 'oauth2', {
    type: 'oauth2',
    description: `Tokens must be requested with resource=${adminResource(baseUrl)} (RFC 8707).`,
    flows: {
      clientCredentials: { tokenUrl, scopes },
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes,
      },
    },
  })
  const described = () =>
    app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Admin API',
        version: '1.0.0',
        description: 'What the admin pages do, for programs. Lists are paged: send next_cursor as cursor.',
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [{ url: adminResource(baseUrl) }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    })
  let text: string | undefined
  return () => (text ??= JSON.stringify(described()))
}
