/** The record that names all queues of an outbox, since transients have no list. */
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Transient } from '../kernel/records.ts'
import type { Stored, Transients } from '../kernel/store.ts'
import { gathered } from './gathered.ts'
import { KEPT_SECONDS } from './queue-record.ts'

interface Directory extends Transient {
  readonly kind: 'outbox'
  readonly keys: readonly string[]
}

interface Named {
  readonly key: string
  /** The directory is written even if it has the name: a worker that has read it to remove the name then fails. */
  readonly isNew: boolean
}

/** Receivers with messages that wait. */
const MAX_KEYS = 1000
const MAX_ATTEMPTS = 32
const DIRECTORY_SECONDS = 2 * KEPT_SECONDS

export type SeenDirectory = Stored<Transient> | undefined

export function directory(transients: Transients, name: string, now: () => number) {
  const keysIn = (seen: SeenDirectory) => (seen?.value as Directory | undefined)?.keys ?? []

  function write(seen: SeenDirectory, keys: readonly string[]): Promise<boolean> {
    const expiresAt = now() + DIRECTORY_SECONDS
    const value: Directory = { kind: 'outbox', expiresAt, keys }
    return seen === undefined
      ? transients.insert(name, value, expiresAt)
      : transients.replace(name, seen, value, expiresAt)
  }

  return {
    read: () => transients.find(name),
    keysIn,

    /** Names queues that hold messages already. @returns `false` if there are too many */
    add: gathered(async (named: readonly Named[]): Promise<boolean> => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const seen = await transients.find(name)
        const known = keysIn(seen)
        const keys = [...new Set([...known, ...named.map(({ key }) => key)])]
        if (keys.length > MAX_KEYS) return false
        const outlives = seen !== undefined && seen.value.expiresAt > now() + KEPT_SECONDS
        if (keys.length === known.length && outlives && !named.some(({ isNew }) => isNew)) return true
        if (await write(seen, keys)) return true
      }
      throw new OAuthError(SERVER_ERRORS.contention)
    }),

    /** @param seen read before the queue was closed: whoever adds to the queue meanwhile writes the directory again */
    async remove(key: string, seen: SeenDirectory): Promise<void> {
      const keys = keysIn(seen)
      if (keys.includes(key))
        await write(
          seen,
          keys.filter((other) => other !== key),
        )
    },
  }
}
