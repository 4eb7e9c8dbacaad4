import { startWorker } from '../edge/running-worker.ts'
import type { StartRaced } from './raced-server.ts'

/** In workerd, on KV as its documentation shows it, and as Miniflare emulates it: each read sees the last write. */
export const start: StartRaced = async () => {
  const { url: issuer, close } = await startWorker({
    worker: 'peer-delayed',
    bindings: { kvNamespaces: ['OAUTH_KV'] },
  })
  const endpoints = { userinfo: `${issuer}/notes` }
  return { issuer, endpoints, clients: [], register: true, scope: ['notes:read'], close }
}
