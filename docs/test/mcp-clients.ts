/** Real MCP clients that keep notes: each signs its user in when it is challenged, and asks for more when it must. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import type { Browser } from '@grantkit/testkit/client'
import * as v2 from '@modelcontextprotocol/client'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export interface NotesClient {
  /** Calls a tool, and gives the text of its answer. */
  call(tool: string, given?: Record<string, string>): Promise<string>
  close(): Promise<unknown>
}

/** Its user signs in with `browser`. @param folder where it keeps what it learns */
export type OpenClient = (url: URL, browser: Browser, folder: string) => Promise<NotesClient>

/** An app in whose hands the OAuth client of the SDK is. It keeps everything in memory. */
function inMemoryApp(browser: Browser, metadata: object) {
  const kept: Record<string, unknown> = {}
  const app = {
    callback: new URLSearchParams(),
    redirectUrl: 'http://localhost:49300/callback',
    clientMetadata: { client_name: 'Notes', redirect_uris: ['http://localhost:49300/callback'], ...metadata },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: unknown) => void Object.assign(kept, { discovery }),
    redirectToAuthorization: async (address: URL) => {
      app.callback = (await browser(address.href)).searchParams
    },
  }
  return app
}

/** The official SDK, version 1. With a refresh token it would refresh instead of asking for more. */
const sdkVersion1: OpenClient = async (url, browser) => {
  const app = inMemoryApp(browser, { grant_types: ['authorization_code'] })
  const transport = () => new StreamableHTTPClientTransport(url, { authProvider: app } as never)
  const code = () => app.callback.get('code') ?? ''
  await new Client({ name: 'Notes', version: '1.0.0' }).connect(transport() as never).catch(onlyUnauthorized)
  await transport().finishAuth(code())
  const client = new Client({ name: 'Notes', version: '1.0.0' })
  const connection = transport()
  await client.connect(connection as never)
  return {
    call: (name, given = {}) => {
      const call = () => client.callTool({ name, arguments: given })
      return signedIn(call, () => connection.finishAuth(code())).then(textOf)
    },
    close: () => client.close(),
  }
}

/** @param mode `auto` speaks protocol 2026-07-28 where the server does, `pin` no other */
const sdkVersion2 =
  (mode: 'legacy' | 'auto' | { pin: '2026-07-28' }): OpenClient =>
  async (url, browser) => {
    const app = inMemoryApp(browser, {})
    const transport = () => new v2.StreamableHTTPClientTransport(url, { authProvider: app as never })
    const newClient = () =>
      new v2.Client({ name: 'Notes', version: '2.0.0' }, { versionNegotiation: { mode } })
    await newClient().connect(transport()).catch(onlyUnauthorized)
    await transport().finishAuth(app.callback)
    const client = newClient()
    const connection = transport()
    await client.connect(connection)
    return {
      call: (name, given = {}) => {
        const call = () => client.callTool({ name, arguments: given })
        return signedIn(call, () => connection.finishAuth(app.callback)).then(textOf)
      },
      close: () => client.close(),
    }
  }

/** Calls, and calls again when the user has signed in. */
async function signedIn(call: () => Promise<unknown>, finishAuth: () => Promise<void>): Promise<unknown> {
  const answer = await call().catch(onlyUnauthorized)
  if (answer !== undefined) return answer
  await finishAuth()
  return call()
}

function onlyUnauthorized(error: unknown): undefined {
  if (!(error instanceof UnauthorizedError || error instanceof v2.UnauthorizedError)) throw error
}

function textOf(result: unknown): string {
  return (result as { content: [{ text: string }] }).content[0].text
}

const require = createRequire(import.meta.url)
const programOf = (name: string, path: string) => join(dirname(require.resolve(`${name}/package.json`)), path)

/** Opens every address that a program prints in the browser, and leads the browser back to the program. */
function signInAt(output: Readable | null, browser: Browser): void {
  let printed = ''
  output?.on('data', async (chunk) => {
    printed += chunk
    const [whole, address] = PRINTED_ADDRESS.exec(printed) ?? []
    if (whole === undefined || address === undefined) return
    printed = printed.slice(printed.indexOf(whole) + whole.length)
    await arrive(await browser(address))
  })
}

/** A program may print an address before it listens for the callback. */
async function arrive(callback: URL, tries = 400): Promise<unknown> {
  if (tries === 0) throw new Error(`Nothing listens at ${callback.origin}`)
  return fetch(callback).catch(() => sleep(50).then(() => arrive(callback, tries - 1)))
}

const PRINTED_ADDRESS = /(http\S+\/oauth\/authorize\?\S+)\s/

/** A program between a client that starts programs and a server far away. */
const mcpRemote: OpenClient = async (url, browser, folder) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programOf('mcp-remote', 'dist/proxy.js'), url.href, '--allow-http'],
    // An empty folder as the PATH, so that no browser opens.
    env: { PATH: folder, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
    stderr: 'pipe',
  })
  signInAt(transport.stderr as Readable | null, browser)
  const client = new Client({ name: 'Notes', version: '1.0.0' })
  await client.connect(transport)
  return {
    call: async (name, given = {}) => textOf(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  }
}

/** Inspector from the command line: each call is a process. */
const inspector: OpenClient = async (url, browser, folder) => {
  const path = programOf('@modelcontextprotocol/inspector', 'clients/launcher/build/index.js')
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
  const options = [
    '--cli',
    url.href,
    '--transport',
    'http',
    '--callback-url',
    callback,
    '--method',
    'tools/call',
  ]
  const env = {
    PATH: folder,
    HOME: folder,
    MCP_AUTO_OPEN_ENABLED: 'true',
    MCP_INSPECTOR_SECRET_STORE: 'file',
  }
  return {
    async call(tool, given = {}) {
      const called = ['--tool-name', tool, '--tool-args-json', JSON.stringify(given)]
      const program = spawn(process.execPath, [path, ...options, ...called], { env })
      signInAt(program.stderr, browser)
      const [output, errors] = await Promise.all([
        text(program.stdout),
        text(program.stderr),
        once(program, 'close'),
      ])
      if (program.exitCode !== 0) throw new Error(`Inspector ended with ${program.exitCode}: ${errors}`)
      return textOf(JSON.parse(output))
    },
    close: async () => {},
  }
}

/** They sign in, and ask for more when a tool needs it. */
export const STEPPING_UP: Readonly<Record<string, OpenClient>> = {
  'the official SDK, version 1': sdkVersion1,
  'the official SDK, version 2': sdkVersion2('legacy'),
  'the official SDK, version 2, by protocol 2026-07-28': sdkVersion2('auto'),
  'the official SDK, version 2, pinned to protocol 2026-07-28': sdkVersion2({ pin: '2026-07-28' }),
  'mcp-remote': mcpRemote,
}

/** Inspector 2.12 steps up in its web page. From the command line it refreshes its token instead, and gives up. */
export const SIGNING_IN: Readonly<Record<string, OpenClient>> = { ...STEPPING_UP, Inspector: inspector }
