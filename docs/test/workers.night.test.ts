/** The programs of docs/how-to/workers.md: the server in workerd, with its objects; the API called as the runtime calls it. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAuthorizationServer, newSigningKeys } from '@grantkit/core'
import { toFetchHandler } from '@grantkit/core/adapter'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createMemoryStore } from '@grantkit/store-memory'
import { startWorker } from '@grantkit/test-servers/workerd'
import { testClient } from '@grantkit/testkit/client'
import { getRequestListener } from '@hono/node-server'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'

const PAGE = 'docs/how-to/workers.md'
const FOLDER = join(import.meta.dirname, '../.code-blocks/workers', folderOf(PAGE))
const SECRET = 'a secret of the tests, long enough to pass'
const load = async (file: string) => (await import(join(FOLDER, file))).default as Worker

interface Worker {
  fetch(request: Request, env: Record<string, string>): Response | Promise<Response>
}

beforeAll(() => {
  extract(
    codeBlocks().filter(({ page }) => page === PAGE),
    join(FOLDER, '..'),
  )
})

it('the authorization server lets an app in, and revokes its tokens', async () => {
  const worker = await startWorker(join(FOLDER, 'server.ts'), {
    bindings: { SECRET },
    issuer: 'ISSUER',
    durableObjects: { RECORDS: 'GrantkitRecords' },
  })
  onTestFinished(() => worker.close())
  const app = await testClient(worker.url, CONFIDENTIAL)
  const { scope, access_token, refresh_token } = await app.tokens('notes:read')
  expect(scope).toBe('notes:read')
  expect(await app.introspect(access_token)).toMatchObject({ active: true })
  await app.revoke(refresh_token)
  expect(await app.introspect(access_token)).toMatchObject({ active: false })
})

const CONFIDENTIAL = { metadata: { token_endpoint_auth_method: 'client_secret_post' } }

it('the API accepts a signed token of the authorization server, and no request without one', async () => {
  const resource = 'https://notes.example.com'
  const keys = await newSigningKeys()
  const { interaction } = await import(join(FOLDER, 'interaction.ts'))
  const issuer = await listening((origin) => {
    const options = { issuer: origin, store: createMemoryStore(), secret: SECRET, interaction, keys }
    const scopes = { 'notes:read': { description: 'Read your notes' } }
    const features = [jwtAccessTokens({ resources: { [resource]: {} } })]
    const server = createAuthorizationServer({ ...options, scopes, resources: [resource], features })
    return getRequestListener(toFetchHandler(server))
  })
  const { access_token } = await (await testClient(issuer)).tokens('notes:read', { resource })

  const worker = await load('api.ts')
  const call = (headers: Record<string, string>) =>
    worker.fetch(new Request(`${resource}/notes`, { headers }), { ISSUER: issuer, RESOURCE: resource })
  expect(await (await call({ authorization: `Bearer ${access_token}` })).json()).toEqual(['a note of alice'])
  expect((await call({})).status).toBe(401)
})

/** @returns the origin of a server with this listener */
async function listening(listenerOf: (origin: string) => RequestListener): Promise<string> {
  let listener: RequestListener
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  listener = listenerOf(origin)
  return origin
}
