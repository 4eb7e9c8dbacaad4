import type { Store } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { createMemoryStore } from '@grantkit/store-memory'
import { SeededRandom } from '../scheduler/seeded-random.ts'
import { authorizationRequest } from './messages.ts'
import { type Clients, createService, EPOCH, REDIRECT_URI, SCOPE, type Service } from './service.ts'

type Insertion = Parameters<Store['clients']['insert']>

interface Registered {
  readonly clients: Clients
  readonly insertions: readonly Insertion[]
}

let registered: Promise<Registered> | undefined

/** They are the same in every run, so they are registered once: a server takes longer to make than a hundred steps. */
export function registeredClients(): Promise<Registered> {
  registered ??= register()
  return registered
}

async function register(): Promise<Registered> {
  const insertions: Insertion[] = []
  const now = () => EPOCH
  const memory = createMemoryStore({ now })
  const insert = (...insertion: Insertion) => {
    insertions.push(insertion)
    return memory.clients.insert(...insertion)
  }
  const store = { ...memory, clients: { ...memory.clients, insert } }
  const time = { sleep: async () => {}, after: () => () => {} }
  const service = createService({ store, guardStore: store, now, time, random: new SeededRandom(0).bytes })
  const clients = await addClients(service)
  await loadSignatures(service, clients)
  return { clients, insertions }
}

/** The server loads its library of signatures with the first one, and a run must not wait for a file. */
async function loadSignatures({ handle }: Service, clients: Clients): Promise<void> {
  const request = authorizationRequest(clients, { cookie: 'user', verifier: 'verifier', scope: SCOPE })
  await handle({ ...request, query: `${request.query}&id_token_hint=a.b.c` })
}

async function addClients({ server }: Service): Promise<Clients> {
  const { clientId: app } = await server.clients.add({
    clientName: 'App',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE, DEVICE_CODE_GRANT],
    tokenEndpointAuthMethod: 'none',
  })
  const { clientId: id, clientSecret: secret = '' } = await server.clients.add({
    clientName: 'API',
    redirectUris: ['https://api.example/callback'],
    tokenEndpointAuthMethod: 'client_secret_post',
    resourceServer: true,
  })
  return { app, api: { id, secret } }
}
