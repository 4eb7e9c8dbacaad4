import { OAuthError, SERVER_REFUSALS } from './oauth-error.ts'
import type { Records, Store } from './store.ts'

/** Answers an error of the store. */
type Unavailable = (cause: unknown) => Promise<never>

/**
 * Wraps a store: any error of a method becomes `temporarily_unavailable`. An outage is then a 503 everywhere and never
 * looks like a bad token.
 *
 * @param failed is called at every error
 */
export function storeErrorsAs503({ clients, grants, transients }: Store, failed = () => {}): Store {
  const unavailable: Unavailable = async (cause) => {
    failed()
    throw new OAuthError(SERVER_REFUSALS.store_unavailable, undefined, { cause })
  }
  return {
    clients: { ...recordErrorsAs503(clients, unavailable), scan: () => eachRecord(clients, unavailable) },
    grants: {
      ...recordErrorsAs503(grants, unavailable),
      scan: () => eachRecord(grants, unavailable),
      listBySubject: errorsAs503(
        (subject: string, most?: number) => grants.listBySubject(subject, most),
        unavailable,
      ),
    },
    transients: transients && recordErrorsAs503(transients, unavailable),
  }
}

function recordErrorsAs503<T>(
  records: Omit<Records<T>, 'scan'>,
  unavailable: Unavailable,
): Omit<Records<T>, 'scan'> {
  return {
    find: errorsAs503((id) => records.find(id), unavailable),
    insert: errorsAs503((id, value, expiresAt) => records.insert(id, value, expiresAt), unavailable),
    replace: errorsAs503(
      (id, seen, value, expiresAt) => records.replace(id, seen, value, expiresAt),
      unavailable,
    ),
    remove: errorsAs503((id) => records.remove(id), unavailable),
  }
}

async function* eachRecord<T>(records: Records<T>, unavailable: Unavailable): AsyncGenerator<T> {
  const each = records.scan()[Symbol.asyncIterator]()
  const next = errorsAs503(() => each.next(), unavailable)
  for (let step = await next(); !step.done; step = await next()) yield step.value
}

/** Not `async`: every request calls several of these. */
function errorsAs503<Given extends unknown[], Result>(
  method: (...given: Given) => Promise<Result>,
  unavailable: Unavailable,
): (...given: Given) => Promise<Result> {
  return (...given) => {
    try {
      return method(...given).catch(unavailable)
    } catch (cause) {
      return unavailable(cause)
    }
  }
}
