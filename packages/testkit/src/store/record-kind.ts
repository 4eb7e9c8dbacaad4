import type { Client, Grant, Records, Store } from '@grantkit/core'
import { aClient, aGrant } from '../sample-records.ts'

/** One of the two kinds of record, so that each promise is told once and proved of both. */
export interface RecordKind<T> {
  records(store: Store): Records<T>
  /** A new value that bears a mark by which it is told from others of its id. */
  marked(mark: string): T
  id(value: T): string
  /** The member that holds the id. */
  identified(id: string): Partial<T>
}

export const CLIENTS: RecordKind<Client> = {
  records: (store) => store.clients,
  marked: (mark) => aClient({ clientName: mark }),
  id: (client) => client.clientId,
  identified: (clientId) => ({ clientId }),
}

export const GRANTS: RecordKind<Grant> = {
  records: (store) => store.grants,
  marked: (mark) => aGrant({ nonce: mark }),
  id: (grant) => grant.id,
  identified: (id) => ({ id }),
}
