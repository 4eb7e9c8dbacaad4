import type { Client, Grant, GrantId, Records, Store, Transient } from '@grantkit/core'
import { aClient, aGrant, aTransient } from '../sample-records.ts'

/** One kind of record, so that each promise is told once and proved of all. */
export interface RecordKind<T> {
  records(store: Store): Omit<Records<T>, 'scan'>
  /** A new value that bears a mark by which it is told from others of its id. */
  marked(mark: string): T
  id(value: T): string
  /** The member that holds the id. */
  identified(id: string): Partial<T>
}

/** A kind whose records can be listed. */
export interface ListedKind<T> extends RecordKind<T> {
  records(store: Store): Records<T>
}

export const CLIENTS: ListedKind<Client> = {
  records: (store) => store.clients,
  marked: (mark) => aClient({ clientName: mark }),
  id: (client) => client.clientId,
  identified: (clientId) => ({ clientId }),
}

export const GRANTS: ListedKind<Grant> = {
  records: (store) => store.grants,
  marked: (mark) => aGrant({ nonce: mark }),
  id: (grant) => grant.id,
  identified: (id) => ({ id: id as GrantId }),
}

export const TRANSIENTS: RecordKind<Transient> = {
  records({ transients }) {
    if (transients === undefined) throw new Error('The store has no transients')
    return transients
  },
  marked: (mark) => aTransient({ mark }),
  id: ({ id }) => String(id),
  identified: (id) => ({ id }),
}
