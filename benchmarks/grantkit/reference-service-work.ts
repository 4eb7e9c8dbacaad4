import type { AuthorizationServer } from '@grantkit/core'
import { postJson } from '../src/http-text.ts'
import {
  authorizeWork,
  codeWork,
  inTurn,
  introspectWork,
  metadataWork,
  protectedWork,
  refreshWork,
} from '../src/requests.ts'
import type { Target } from '../src/target.ts'
import { Client } from './client.ts'

/** The workloads of the reference service, whose pages and scopes are those of a school. */

const SCOPE = 'courses:read courses:write'
const OPEN_ID = 'openid profile courses:read'
const TOKEN = '/api/oauth/token'

/** @param cookie of a user who has signed in */
export async function referenceServiceWork(
  service: Pick<AuthorizationServer, 'routes' | 'clients'>,
  cookie: string,
): Promise<Target['work']> {
  const browser = {
    cookieOf: () => cookie,
    ticketOn: (page: string) => /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '',
  }
  const client = await Client.register(service, { scope: SCOPE }, browser)
  const openId = await Client.register(service, { scope: OPEN_ID }, browser)
  const es256 = { scope: OPEN_ID, id_token_signed_response_alg: 'ES256' }
  const openIdEs256 = await Client.register(service, es256, browser)
  const accessToken = async () => (await client.tokens(SCOPE)).access_token
  const { client_id, client_secret = '' } = await service.clients.add({
    client_name: 'Reports',
    redirect_uris: [],
    resource_server: true,
  })
  return {
    code: codeWork(TOKEN, client.clientId, () => client.code(SCOPE)),
    refresh: refreshWork(TOKEN, client.clientId, async () => (await client.tokens(SCOPE)).refresh_token),
    introspect: introspectWork('/api/oauth/introspect', { client_id, client_secret }, accessToken),
    authorize: authorizeWork('/oauth/authorize', client.clientId, { scope: SCOPE }),
    metadata: metadataWork(),
    userinfo: protectedWork('/api/oauth/userinfo', async () => (await openId.tokens(OPEN_ID)).access_token),
    'id-token-rs256': codeWork(TOKEN, openId.clientId, () => openId.code(OPEN_ID)),
    'id-token-es256': codeWork(TOKEN, openIdEs256.clientId, () => openIdEs256.code(OPEN_ID)),
    'mcp-call': inTurn(async () => toolCall((await openId.tokens(OPEN_ID)).access_token)),
  }
}

function toolCall(token: string): string {
  const params = { name: 'search_courses', arguments: { limit: 1 } }
  const headers = { accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` }
  return postJson('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
}
