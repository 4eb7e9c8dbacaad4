import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** mcp-remote connects clients that can only start programs to a remote MCP server, with sign-in. */

let service: RunningService
beforeAll(async () => {
  service = await runService({ DEFAULT_SCOPE: 'courses:read' })
})
afterAll(() => service.close())

const manifest = createRequire(import.meta.url).resolve('mcp-remote/package.json')
const PROXY = join(dirname(manifest), 'dist/proxy.js')

describe('mcp-remote', () => {
  function proxy(folder: string) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROXY, `${service.baseUrl}/mcp`, '--allow-http'],
      // An empty folder as the PATH, so that no browser opens.
      env: { PATH: folder, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
      stderr: 'pipe',
    })
    return { transport, client: new Client({ name: 'test', version: '1.0.0' }) }
  }

  it('connects a client that supports only local programs', async () => {
    const { transport, client } = proxy(await temporaryFolder())
    await client.connect(transport)
    const { structuredContent } = await client.callTool({
      name: 'read_courses',
      arguments: { id: 'bread-at-home' },
    })
    expect(structuredContent).toMatchObject({ item: { title: 'Bread at home' } })
    await client.close()
  })

  it('signs its user in when the server challenges its token', async () => {
    const folder = await temporaryFolder()
    await keepRevokedToken(folder)
    const { transport, client } = proxy(folder)
    const connected = client.connect(transport)
    const callback = await user(service.baseUrl)(await printedAddress(transport))
    await (await fetch(callback)).text()
    await connected
    const { structuredContent } = await client.callTool({ name: 'search_courses', arguments: {} })
    expect(structuredContent, 'what only a token sees').toMatchObject({ total: 6 })
    await client.close()
  })

  /** Writes a token where mcp-remote 0.15 keeps them: an anonymous request would get no challenge. */
  async function keepRevokedToken(folder: string): Promise<void> {
    const token = { access_token: 'revoked', token_type: 'Bearer' }
    const name = createHash('md5').update(`${service.baseUrl}/mcp`).digest('hex')
    await mkdir(join(folder, 'mcp-remote-v1'))
    await writeFile(join(folder, 'mcp-remote-v1', `${name}_tokens.json`), JSON.stringify(token))
  }

  /** It prints the address before it listens for the callback, and blocks if its output is not read. */
  function printedAddress({ stderr }: StdioClientTransport): Promise<string> {
    let output = ''
    return new Promise((resolve) => {
      stderr?.on('data', (chunk) => {
        output += chunk
        const [, address] = /^(http\S+\/oauth\/authorize\?\S+)\n/m.exec(output) ?? []
        if (address && output.includes('OAuth callback server running')) resolve(address)
      })
    })
  }
})
