import { appendFileSync } from 'node:fs'
import {
  auth,
  Client,
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'

/**
 * A client-credentials client on the MCP SDK, as the conformance suite starts its clients: the address of the server is
 * the last argument. It records its token requests.
 */

interface Context {
  readonly client_id: string
  readonly client_secret?: string
  readonly private_key_pem?: string
  readonly signing_algorithm?: string
}

const { MCP_CONFORMANCE_CONTEXT = '{}', TOKEN_REQUESTS = '' } = process.env
const context: Context = JSON.parse(MCP_CONFORMANCE_CONTEXT)
const url = new URL(process.argv.at(-1) ?? '')

const authProvider = providerOf(context)
// Not every server sends a challenge: a catalogue may be public.
await auth(authProvider, { serverUrl: url, fetchFn: noted })
const client = new Client({ name: 'job', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
await client.listTools()
await client.close()

function providerOf({ client_id: clientId, ...credentials }: Context) {
  if (credentials.private_key_pem === undefined)
    return new ClientCredentialsProvider({ clientId, clientSecret: credentials.client_secret ?? '' })
  const algorithm = credentials.signing_algorithm ?? ''
  return new PrivateKeyJwtProvider({ clientId, privateKey: credentials.private_key_pem, algorithm })
}

async function noted(address: string | URL, init: RequestInit = {}): Promise<Response> {
  const { authorization, 'content-type': type = '' } = Object.fromEntries(new Headers(init.headers))
  if (type.startsWith('application/x-www-form-urlencoded')) {
    appendFileSync(TOKEN_REQUESTS, `${JSON.stringify({ authorization, form: String(init.body) })}\n`)
  }
  return fetch(address, init)
}
