import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, describe, expect, it } from 'vitest'
import { McpApp } from './mcp-app.ts'
import { runService } from './service.ts'

/** Programs that people use with an MCP server. */

const service = await runService({ DEFAULT_SCOPE: 'courses:read' })
afterAll(() => service.close())

const require = createRequire(import.meta.url)

/** Only an unknown token gets a challenge here; anonymous requests get none. */
const REVOKED: OAuthTokens = { access_token: 'revoked', token_type: 'Bearer' }

describe('the OAuth client of the MCP SDK', () => {
  it('gets a token from only the URL of the MCP server, uses and refreshes it', async () => {
    const app = new McpApp(service.baseUrl)
    const serverUrl = `${service.baseUrl}/mcp`
    expect(await auth(app, { serverUrl })).toBe('REDIRECT')
    expect(await auth(app, { serverUrl, ...app.answer })).toBe('AUTHORIZED')
    const first = app.tokens()?.access_token
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: app }) as never,
    )
    const { structuredContent } = await client.callTool({ name: 'search_courses', arguments: {} })
    expect(structuredContent, 'what only a token sees').toMatchObject({ total: 6 })
    await client.close()
    expect(await auth(app, { serverUrl })).toBe('AUTHORIZED')
    expect(app.tokens()?.access_token, 'a refresh').not.toBe(first)
  })

  it('signs in again when the server challenges its token', async () => {
    const app = new McpApp(service.baseUrl)
    app.saveTokens(REVOKED)
    const url = new URL(`${service.baseUrl}/mcp`)
    const challenged = new StreamableHTTPClientTransport(url, { authProvider: app })
    const client = new Client({ name: 'test', version: '1.0.0' })
    await expect(client.connect(challenged as never)).rejects.toThrow(UnauthorizedError)
    await challenged.finishAuth(app.answer.authorizationCode)
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: app }) as never)
    const { structuredContent } = await client.callTool({ name: 'search_courses', arguments: {} })
    expect(structuredContent, 'what only a token sees').toMatchObject({ total: 6 })
    await client.close()
  })
})

it('MCP Inspector calls a tool from the command line', async () => {
  const path = join(
    dirname(require.resolve('@modelcontextprotocol/inspector/package.json')),
    'clients/launcher/build/index.js',
  )
  const options = ['--cli', `${service.baseUrl}/mcp`, '--transport', 'http']
  const call = ['--method', 'tools/call', '--tool-name', 'search_courses', '--tool-arg', 'query=bread']
  const program = spawn(process.execPath, [path, ...options, ...call], {
    env: { PATH: process.env.PATH ?? '', HOME: await temporaryFolder() },
  })
  let output = ''
  program.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [status] = await once(program, 'close')
  expect(status).toBe(0)
  expect(JSON.parse(output).structuredContent).toMatchObject({ total: 1 })
})
