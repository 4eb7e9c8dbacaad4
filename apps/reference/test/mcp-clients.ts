import * as v2 from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** What both versions of the official client have. */
export type McpClient = Pick<
  v2.Client,
  'listTools' | 'callTool' | 'listResources' | 'readResource' | 'getServerCapabilities' | 'close'
>
type Connect = (url: URL, token?: string) => Promise<McpClient>

const APP = { name: 'test', version: '1.0.0' }
const withToken = (token?: string) => ({
  requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
})

/** The official client in its versions, and the newer one in its modes: protocol 2025-11-25 and 2026-07-28. */
export const MCP_CLIENTS: Readonly<Record<string, Connect>> = {
  'SDK 1.32': async (url, token) => {
    const client = new Client(APP)
    // The types of transport and client disagree about undefined members.
    await client.connect(new StreamableHTTPClientTransport(url, withToken(token)) as never)
    return client as unknown as McpClient
  },
  'SDK 2': version2({}),
  'SDK 2 that asks which protocol': version2({ versionNegotiation: { mode: 'auto' } }),
  'SDK 2 that wants 2026-07-28': version2({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
}

function version2(options: v2.ClientOptions): Connect {
  return async (url, token) => {
    const client = new v2.Client(APP, options)
    await client.connect(new v2.StreamableHTTPClientTransport(url, withToken(token)))
    return client
  }
}
