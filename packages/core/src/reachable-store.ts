import { OAuthError } from './oauth-error.ts'
import type { Records, Store } from './store.ts'

/**
 * The store as core uses it: whatever a method rejects with or throws becomes `temporarily_unavailable`, so that an
 * outage is a 503 everywhere and never looks like a bad token.
 */
export function reachableStore({ clients, grants }: Store): Store {
  return {
    clients: reachableRecords(clients),
    grants: {
      ...reachableRecords(grants),
      listBySubject: reaching((subject: string) => grants.listBySubject(subject)),
    },
  }
}

function reachableRecords<T>(records: Records<T>): Records<T> {
  return {
    find: reaching((id) => records.find(id)),
    insert: reaching((id, value, expiresAt) => records.insert(id, value, expiresAt)),
    replace: reaching((id, seen, value, expiresAt) => records.replace(id, seen, value, expiresAt)),
    remove: reaching((id) => records.remove(id)),
    scan: () => reachingEach(records),
  }
}

async function* reachingEach<T>(records: Records<T>): AsyncGenerator<T> {
  const each = records.scan()[Symbol.asyncIterator]()
  const next = reaching(() => each.next())
  for (let step = await next(); !step.done; step = await next()) yield step.value
}

/** Not async itself: every request goes through several of these. */
function reaching<Given extends unknown[], Result>(
  method: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return (...given) => {
    try {
      return method(...given).catch(unavailable)
    } catch (cause) {
      return unavailable(cause)
    }
  }
}

async function unavailable(cause: unknown): Promise<never> {
  throw new OAuthError('store_unavailable', undefined, { cause })
}
