/** Where the processes of one server may share what they keep: by its place, why they cannot. */

interface Places {
  readonly database: string
  readonly store: string
}

/**
 * The problems of more than one worker with these places; empty if there are none. In a memory of its own each worker would have
 * other clients and grants, and would count for rate limits alone. A SQLite file has one writer at a time, and no counters.
 */
export function workerProblems({ database, store }: Places): readonly string[] {
  if (!database.startsWith('postgres'))
    return [`more than one worker needs a postgres:// DATABASE_URL, not ${kindOf(database)}`]
  if (!/^(postgres|redis)/.test(store))
    return [`more than one worker needs a postgres:// or redis:// STORE_URL, not ${kindOf(store)}`]
  return []
}

/** Without the rest: a URL may have a password. */
function kindOf(place: string): string {
  return place.replace(/:.*$/s, ':')
}
