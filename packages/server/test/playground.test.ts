import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { expect, it, onTestFinished } from 'vitest'
import { keySetText, newKeys } from '../src/config/signing-keys-file.ts'
import type { ServiceDefinition } from '../src/definition.ts'
import { type RunningServer, runServer } from './running-server.ts'

const BASIS = { method: 'get', responses: { 200: { description: 'It' } } } as const
const NOTES = { ...BASIS, security: [{ oauth2: ['notes:read'] }] }
const definition: ServiceDefinition = {
  mount: () => [
    new OpenAPIHono()
      .openapi(createRoute({ ...NOTES, path: '/api/notes' }), (c) => c.body(null))
      .openapi(createRoute({ ...NOTES, path: '/api/notes/{id}' }), (c) => c.body(null))
      .openapi(createRoute({ ...BASIS, path: '/about', security: [{}] }), (c) => c.body(null)),
  ],
}

type Variables = Readonly<Record<string, string>>

const PUBLIC = { BASE_URL: 'https://notes.example', SECRET: 'a secret of thirty-two characters' }

async function start(variables: (port: number) => Variables): Promise<RunningServer> {
  const all = (port: number) => ({ NODE_ENV: 'development', ...variables(port) })
  const server = await runServer(all, {}, { definition })
  onTestFinished(() => server.close())
  return server
}

it('a server in development has a playground, which its policy lets run the script and call the server alone', async () => {
  const { baseUrl } = await start(() => ({}))
  const page = await fetch(`${baseUrl}/playground`)
  const script = await fetch(`${baseUrl}/assets/playground.js`)
  expect([page.status, script.status]).toEqual([200, 200])
  expect(page.headers.get('cache-control')).toBe('no-store')
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; style-src 'sha256-")
  expect(policy).toContain("script-src 'self'; connect-src 'self'; form-action 'none'")
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  const scripts = (await page.text()).match(/<script[^<]*<\/script>| on\w+=/g)
  expect(scripts).toEqual(['<script type="module" src="/assets/playground.js"></script>'])
})

it('the playground offers the APIs that the service describes, and a command for a client, below the path of the server', async () => {
  const { baseUrl } = await start((port) => ({ BASE_URL: `http://127.0.0.1:${port}/auth` }))
  const page = await (await fetch(`${baseUrl}/playground`)).text()
  const offered = [...page.matchAll(/<option>(\/[^<]+)/g)].map(([, address]) => address)
  expect(offered, page).toEqual(['/auth/api/notes'])
  expect(page).toContain(
    `grantkit clients add --name Playground --public --redirect-uri ${baseUrl}/playground<`,
  )
  expect(page).toContain(
    `data-metadata="${new URL(baseUrl).origin}/.well-known/oauth-authorization-server/auth"`,
  )
})

it('the playground offers every scope that an app may request, and chooses the identity and one that changes nothing', async () => {
  const scopes = {
    openid: { description: 'Know who you are' },
    'notes:write': { description: 'Write', access: 'write' as const },
    'notes:read': { description: 'Read', access: 'read' as const },
    'files:read': { description: 'Read files', access: 'read' as const },
  }
  const server = await runServer({ NODE_ENV: 'development', ADMIN_API: 'on' }, { scopes })
  onTestFinished(() => server.close())
  const page = await (await fetch(`${server.baseUrl}/playground`)).text()
  const offered = [...page.matchAll(/name="scope" value="([^"]+)"( checked)?/g)]
  expect(offered.map(([, name, checked]) => [name, checked !== undefined])).toEqual([
    ['openid', true],
    ['notes:write', false],
    ['notes:read', true],
    ['files:read', false],
  ])
})

it.each<[string, Variables]>([
  ['in production', { NODE_ENV: 'production', ...PUBLIC }],
  ['at a public address', PUBLIC],
  ['in tests', { NODE_ENV: 'test' }],
  ['with PLAYGROUND=off', { PLAYGROUND: 'off' }],
  ['that demands pushed requests', { PAR: 'required' }],
  ['that demands bound tokens', { DPOP: 'required' }],
])('a server %s has no playground', async (_, variables) => {
  const KEYS_FILE = join(await temporaryFolder(), 'keys.json')
  await writeFile(KEYS_FILE, keySetText(await newKeys(undefined)), { mode: 0o600 })
  const { port } = await start(() => ({ KEYS_FILE, ...variables }))
  const base = `http://127.0.0.1:${port}`
  expect((await fetch(`${base}/playground`)).status).toBe(404)
  expect((await fetch(`${base}/assets/playground.js`)).status).toBe(404)
  expect((await fetch(`${base}/.well-known/oauth-authorization-server`)).status).toBe(200)
})

it('no metadata name the playground', async () => {
  const { baseUrl, app } = await start(() => ({}))
  const metadata = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`)
  expect(await metadata.text()).not.toContain('playground')
  const described = (app as OpenAPIHono).openAPIRegistry.definitions
  expect(JSON.stringify(described)).not.toContain('playground')
})
