import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { formBrowser } from '@grantkit/testkit/client'
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { addedLines } from '../added-lines.ts'
import { copyOut } from '../copy-out.ts'

const FOLDER = copyOut(import.meta.dirname)

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Runs the program as a user would, and returns the URL of its MCP server. */
async function start(program: string): Promise<URL> {
  const PORT = String(await freePort())
  const child = spawn(process.execPath, [join(FOLDER, program)], {
    env: { ...process.env, PORT },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  stops.push(async () => child.exitCode === null && child.kill() && once(child, 'exit'))
  const url = new URL(`http://127.0.0.1:${PORT}/mcp`)
  await expect.poll(() => fetch(url)).toBeDefined()
  return url
}

/** The protocols of 2025-11-25 and 2026-07-28. */
const MODES = ['legacy', 'auto'] as const
type Mode = (typeof MODES)[number]

async function connect(url: URL, mode: Mode, app?: OAuthClientProvider): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const options = app === undefined ? {} : { authProvider: app }
  await client.connect(new StreamableHTTPClientTransport(url, options))
  stops.unshift(() => client.close())
  return client
}

/** The storage of an app for the SDK's OAuth client; its user allows everything. */
class App implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:49300/callback'
  readonly clientMetadata = { client_name: 'Test app', redirect_uris: [this.redirectUrl] }
  callback = new URLSearchParams()
  #client: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #verifier = ''
  #discovery: OAuthDiscoveryState | undefined

  clientInformation = () => this.#client
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.#client = client
  }
  tokens = () => this.#tokens
  saveTokens = (tokens: OAuthTokens) => {
    this.#tokens = tokens
  }
  codeVerifier = () => this.#verifier
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  discoveryState = () => this.#discovery
  saveDiscoveryState = (discovery: OAuthDiscoveryState) => {
    this.#discovery = discovery
  }
  redirectToAuthorization = async (url: URL) => {
    const browser = formBrowser({ origin: url.origin, typed: { password: '' } })
    this.callback = (await browser(url.href)).searchParams
  }
}

async function expectNotes(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['list_notes'])
  const { content } = await client.callTool({ name: 'list_notes' })
  expect(content).toEqual([{ type: 'text', text: 'alice: buy milk' }])
}

describe.each(MODES)('an MCP server on Hono, to a client in mode %s', (mode) => {
  it('serves everybody before', async () => {
    await expectNotes(await connect(await start('before.ts'), mode))
  })

  it('serves only signed-in users after, with its own authorization server', async () => {
    const url = await start('after.ts')
    const refused = await fetch(url, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer scope="notes:read", resource_metadata="${url.origin}/.well-known/oauth-protected-resource/mcp"`,
    )
    const app = new App()
    await expect(connect(url, mode, app)).rejects.toThrow(UnauthorizedError)
    await new StreamableHTTPClientTransport(url, { authProvider: app }).finishAuth(app.callback)
    await expectNotes(await connect(url, mode, app))
  })
})

describe('the difference', () => {
  it('is fewer than 40 lines', () => {
    const of = (file: string) => join(FOLDER, file)
    const added = addedLines(of('before.ts'), of('after.ts')).length
    expect(added).toBeGreaterThan(0)
    expect(added).toBeLessThan(40)
  })
})
