import type { ServerContext } from './server-context.ts'
import type { Client } from './store.ts'

const LONGEST_CLIENT_ID = 200

/** The client of an id that may be anything a stranger sent. */
export function findClient({ store }: ServerContext, clientId: string): Promise<Client | undefined> {
  if (clientId.length > LONGEST_CLIENT_ID) return Promise.resolve(undefined)
  return store.clients.find(clientId).then((stored) => stored?.value)
}
