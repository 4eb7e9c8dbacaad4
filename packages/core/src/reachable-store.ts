import { OAuthError } from './oauth-error.ts'
import type { Records, Store } from './store.ts'

/**
 * The store as core uses it: whatever a method rejects with becomes `temporarily_unavailable`, so that an outage
 * is a 503 everywhere and never looks like a bad token.
 */
export function reachableStore({ clients, grants }: Store): Store {
  return {
    clients: reachableRecords(clients),
    grants: {
      ...reachableRecords(grants),
      listBySubject: (subject) => reaching(() => grants.listBySubject(subject)),
    },
  }
}

function reachableRecords<T>(records: Records<T>): Records<T> {
  return {
    find: (id) => reaching(() => records.find(id)),
    insert: (id, value, expiresAt) => reaching(() => records.insert(id, value, expiresAt)),
    replace: (id, seen, value, expiresAt) => reaching(() => records.replace(id, seen, value, expiresAt)),
    remove: (id) => reaching(() => records.remove(id)),
    scan: () => reachingEach(records),
  }
}

async function* reachingEach<T>(records: Records<T>): AsyncGenerator<T> {
  const each = records.scan()[Symbol.asyncIterator]()
  for (let step = await reaching(() => each.next()); !step.done; step = await reaching(() => each.next()))
    yield step.value
}

async function reaching<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new OAuthError('store_unavailable', undefined, { cause })
  }
}
