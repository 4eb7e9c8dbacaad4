import type { Store } from '@grantkit/core'
import { bearerGet } from '../src/http-text.ts'
import {
  authorizeWork,
  codeWork,
  consentPageWork,
  introspectWork,
  metadataWork,
  protectedWork,
  refreshWork,
  registerWork,
} from '../src/requests.ts'
import { SCOPE, SUBJECT } from '../src/sample.ts'
import type { Target } from '../src/target.ts'
import { Client } from './client.ts'
import { DOCUMENT_ID } from './document-client.ts'
import { openService, type Service } from './service.ts'

const TOKEN = '/api/oauth/token'
export const NOTES = '/notes'

/** Grantkit behind any adapter: only `listen` differs, which serves its routes and a guarded `/notes`. */
export async function grantkitTarget(
  port: number,
  listen: (service: Service) => Promise<unknown>,
  store?: Store,
): Promise<Target> {
  const service = await openService(`http://127.0.0.1:${port}`, store === undefined ? {} : { store })
  await listen(service)
  const { server } = service
  const client = await Client.register(server)
  const openId = { scope: `openid ${SCOPE}` }
  const es256 = await Client.register(server, { ...openId, id_token_signed_response_alg: 'ES256' })
  const rs256 = await Client.register(server, openId)
  const accessToken = async () => (await client.tokens(SCOPE)).access_token
  return {
    opens: (token) => bearerGet(NOTES, token),
    work: {
      register: registerWork('/api/oauth/register'),
      code: codeWork(TOKEN, client.clientId, () => client.code(SCOPE)),
      refresh: refreshWork(TOKEN, client.clientId, async () => (await client.tokens(SCOPE)).refresh_token),
      protected: protectedWork(NOTES, accessToken),
      introspect: introspectWork('/api/oauth/introspect', await resourceServer(service), accessToken),
      authorize: authorizeWork('/oauth/authorize', client.clientId),
      userinfo: protectedWork(
        '/api/oauth/userinfo',
        async () => (await rs256.tokens(openId.scope)).access_token,
      ),
      'authorize-document': consentPageWork('/oauth/authorize', DOCUMENT_ID, `user=${SUBJECT}`),
      metadata: metadataWork(),
      'id-token-rs256': codeWork(TOKEN, rs256.clientId, () => rs256.code(openId.scope)),
      'id-token-es256': codeWork(TOKEN, es256.clientId, () => es256.code(openId.scope)),
    },
  }
}

async function resourceServer({ server }: Service) {
  const { client_id, client_secret = '' } = await server.clients.add({
    client_name: 'Notes',
    redirect_uris: [],
    resource_server: true,
  })
  return { client_id, client_secret }
}
