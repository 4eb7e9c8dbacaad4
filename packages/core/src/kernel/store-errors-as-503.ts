import { OAuthError, SERVER_ERRORS } from './oauth-error.ts'
import type { GrantOwner, PageRequest, Records, Store } from './store.ts'

/**
 * Wraps a store: any error of a method becomes `temporarily_unavailable`. An outage is then a 503 everywhere and never
 * looks like a bad token.
 */
export function storeErrorsAs503({ clients, grants, transients }: Store): Store {
  return {
    clients: { ...recordErrorsAs503(clients), scan: () => eachRecord(clients) },
    grants: {
      ...recordErrorsAs503(grants),
      scan: () => eachRecord(grants),
      list: errorsAs503((owner: GrantOwner, page: PageRequest) => grants.list(owner, page)),
    },
    transients: transients && recordErrorsAs503(transients),
  }
}

async function unavailable(cause: unknown): Promise<never> {
  throw new OAuthError(SERVER_ERRORS.store_unavailable, undefined, { cause })
}

function recordErrorsAs503<T>(records: Omit<Records<T>, 'scan'>): Omit<Records<T>, 'scan'> {
  return {
    find: errorsAs503((id) => records.find(id)),
    insert: errorsAs503((id, value, expiresAt) => records.insert(id, value, expiresAt)),
    replace: errorsAs503((id, seen, value, expiresAt) => records.replace(id, seen, value, expiresAt)),
    remove: errorsAs503((id) => records.remove(id)),
  }
}

async function* eachRecord<T>(records: Records<T>): AsyncGenerator<T> {
  try {
    // A caller that stops ends the scan of the store too.
    yield* records.scan()
  } catch (cause) {
    await unavailable(cause)
  }
}

/** Not `async`: every request calls several of these. */
function errorsAs503<Given extends unknown[], Result>(
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
