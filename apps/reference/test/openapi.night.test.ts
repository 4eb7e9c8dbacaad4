import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lintOpenApi, typedClient } from '@grantkit/test-servers/openapi-tools'
import { Ajv, type ValidateFunction } from 'ajv'
import { afterAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../src/oauth/scopes.ts'
import { operationsAt } from './paths.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The OpenAPI document and the running service must match in both directions. */

interface Described {
  readonly operationId: string
  readonly parameters?: readonly { name: string; in: string; required?: boolean }[]
  readonly requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
  readonly responses: Record<
    string,
    { content?: Record<string, { schema: object }>; headers?: Record<string, object> }
  >
  readonly security: readonly Record<string, readonly string[]>[]
}
interface Document {
  readonly openapi: string
  readonly servers: readonly { url: string }[]
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { securitySchemes: { oauth2: { flows: { authorizationCode: { scopes: object } } } } }
}

const service = await runService()
const folder = await mkdtemp(join(tmpdir(), 'grantkit-openapi-'))
const document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Document
const token = (await signedIn(service.baseUrl, Object.keys(SCOPES).join(' '))).access_token
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    ...operation,
  })),
)

describe('the description', () => {
  it('is an OpenAPI 3.0 document of this origin, by the strict rules of a linter', async () => {
    expect(await lintOpenApi(document, folder)).toMatchObject({ valid: true })
    expect(document.openapi).toMatch(/^3\.0\./)
    expect(document.servers).toEqual([{ url: service.baseUrl }])
  })

  it('makes a typed client that compiles', async () => {
    const client = await typedClient(document, folder)
    expect(client).toMatchObject({ valid: true })
    expect(await readFile(client.path, 'utf8')).toContain('listCourses')
  })

  it('names every route and method of the service, and no other', () => {
    const offered = operationsAt(service).map((text) => text.replace(/:(\w+)/g, '{$1}'))
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(offered.sort())
  })

  it('names every scope, and guards every operation of the school with its own', () => {
    const { scopes } = document.components.securitySchemes.oauth2.flows.authorizationCode
    expect(Object.keys(scopes)).toEqual(Object.keys(SCOPES))
    const guarding = operations.flatMap(({ security }) => security.flatMap(({ oauth2 = [] }) => oauth2))
    expect(new Set(guarding)).toEqual(
      new Set(Object.keys(SCOPES).filter((scope) => scope !== 'profile' && scope !== 'email')),
    )
  })
})

/** Existing ids, and the parameters that a form page requires. */
const PATH_VALUES: Record<string, string> = { file: 'start.js' }

async function call(operation: (typeof operations)[number], bearer?: string): Promise<Response> {
  const { path, method, requestBody } = operation
  const area = /^\/api\/(\w+)\//.exec(path)?.[1] ?? ''
  const id = method === 'GET' ? await someId(area, bearer) : 'nothing'
  const url = path.replace(/\{(\w+)\}/g, (_, name) => PATH_VALUES[name] ?? id)
  const [type = ''] = Object.keys(requestBody?.content ?? {})
  const example = requestBody?.content[type]?.example
  const body =
    method === 'GET' || method === 'DELETE'
      ? undefined
      : type === 'application/json'
        ? JSON.stringify(example)
        : ''
  const headers = {
    ...(type === '' || body === undefined ? {} : { 'content-type': type }),
    ...(path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {}),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  }
  return fetch(service.baseUrl + url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
}

async function someId(area: string, bearer?: string): Promise<string> {
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const response = await fetch(`${service.baseUrl}/api/${area}`, { headers })
  const { items = [] } = (response.ok ? await response.json() : {}) as { items?: { id: string }[] }
  return items[0]?.id ?? 'nothing'
}

/** Compares an answer with its documented operation: status, media type, schema. */
async function faultOf(
  operation: (typeof operations)[number],
  response: Response,
): Promise<string | undefined> {
  const where = `${operation.method} ${operation.path} ${response.status}`
  const documented = operation.responses[response.status]
  if (documented === undefined) return `${where} is not documented`
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  const content = documented.content ?? {}
  const media = content[type] ?? content['*/*']
  if (Object.keys(content).length > 0 && media === undefined) return `${where} came as ${type}`
  const challenge = documented.headers?.['WWW-Authenticate'] !== undefined && response.status === 401
  if (challenge && !response.headers.has('www-authenticate')) return `${where} came without its challenge`
  return type === 'application/json' && media
    ? schemaFault(where, media.schema, await response.json())
    : undefined
}

const ajv = new Ajv({ strict: false, validateFormats: false })
/** Many operations have the same schema, which takes long to compile. */
const validators = new Map<string, ValidateFunction>()

function schemaFault(where: string, schema: object, body: unknown): string | undefined {
  const key = JSON.stringify(schema)
  const validate = validators.get(key) ?? ajv.compile({ ...schema, components: document.components })
  validators.set(key, validate)
  return validate(body) ? undefined : `${where}: ${ajv.errorsText(validate.errors)}`
}

describe('every operation answers as it is documented', () => {
  // First, because it removes what it adds: some items may be there only once.
  it('reads and writes records', async () => {
    const added = operations.filter(({ method, path }) => method === 'POST' && /^\/api\/(?!oauth)/.test(path))
    expect(added.length).toBeGreaterThan(10)
    for (const operation of added) {
      const response = await call(operation, token)
      expect(response.status, operation.path).toBe(201)
      const { id } = (await response.json()) as { id: string }
      const removed = await fetch(`${service.baseUrl}${operation.path}/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}` },
      })
      expect(removed.status).toBe(204)
    }
  })

  it.each([
    ['to unauthenticated callers', undefined],
    ['to a token with every scope', token],
    ['to a bad token', 'bad'],
  ])('%s', async (_, bearer) => {
    const faults = await Promise.all(
      operations.map(async (operation) => faultOf(operation, await call(operation, bearer))),
    )
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })
})
