import type { Store } from '@grantkit/core'
import type { Client, Grant, GrantId, Records, Transient } from '@grantkit/core/feature'
import { aClient, aGrant, aTransient } from '../sample-records.ts'

/** A kind of record: each promise is written once and tested for all kinds. */
export interface RecordKind<T> {
  records(store: Store): Omit<Records<T>, 'scan'>
  /** A new value with a mark that distinguishes it from others of the same id. */
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
