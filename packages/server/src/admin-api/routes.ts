import { OAuthError, type ScopeDefinition } from '@grantkit/core'
import { errorResponse, readBody, toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { type Hook, OpenAPIHono } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { ADMIN_SCOPES, adminResource } from '../authorization/authorization-server.ts'
import { jsonError, revalidatedText } from '../http/bodies-and-answers.ts'
import { clientChanges, clientsOfServer, initialAccessTokens } from './clients.ts'
import { type AdminApiOptions, type AdminEnv, adminApiOf } from './operation.ts'
import { stateOfService } from './state.ts'
import { users } from './users.ts'

/**
 * The admin API: what the admin pages do, for programs. Every operation needs an access token for this API with the
 * scope `admin:read` or `admin:write`.
 */
export function adminApi(options: AdminApiOptions): OpenAPIHono<AdminEnv> {
  const app = new OpenAPIHono<AdminEnv>({ defaultHook: refuseInvalid })
  const api = adminApiOf(app, options)
  app.onError(errorAnswer(options.onError))
  // Before the rule for personal data, which it has none of.
  app.get('/openapi.json', revalidatedText(adminDocument(app, options.baseUrl), DOCUMENT_HEADERS))
  app.use(withoutCaching, boundedBody)
  users(api)
  clientsOfServer(api)
  clientChanges(api)
  initialAccessTokens(api)
  stateOfService(api)
  return app
}

const DOCUMENT_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache' }

/** Answers hold personal data. */
const withoutCaching: MiddlewareHandler = async (c, next) => {
  await next()
  c.header('cache-control', 'no-store')
}

/** Reads the body up to the limit of the OAuth endpoints, as `bodyLimit()` of Hono does: it leaves a request with it. */
const boundedBody: MiddlewareHandler = async (c, next) => {
  const { method, headers, url } = c.req.raw
  if (method !== 'GET' && method !== 'HEAD')
    c.req.raw = new Request(url, { method, headers, body: await readBody(c.req.raw) })
  return next()
}

const MAX_CHARACTERS = 1000

// biome-ignore lint/suspicious/noExplicitAny: of every route
const refuseInvalid: Hook<any, AdminEnv, any, any> = (result, c) => {
  if (result.success) return undefined
  const faults = result.error.issues.map(({ path, message }) => [path.join('.'), message].join(' ').trim())
  return jsonError(c, 400, 'invalid_request', printable(faults.join('; ')))
}

/** The characters of an error_description (RFC 6749 5.2). Names of unknown members are input of the caller. */
function printable(text: string): string {
  const plain = text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
  return plain.slice(0, MAX_CHARACTERS)
}

function errorAnswer(onError: (error: unknown) => void) {
  return (error: Error, c: Context): Response => {
    if (error instanceof HTTPException && error.status === 415)
      return jsonError(c, 415, 'invalid_request', 'The body must be application/json')
    if (error instanceof HTTPException) return jsonError(c, 400, 'invalid_request', 'The body is not JSON')
    const refusal = error instanceof OAuthError ? error : new OAuthError(ERRORS.unexpected)
    if (refusal.status >= 500) onError(error)
    return toResponse(errorResponse(refusal))
  }
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
function adminDocument(app: OpenAPIHono<AdminEnv>, baseUrl: string): () => string {
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
