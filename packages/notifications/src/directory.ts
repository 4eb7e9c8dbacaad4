/** The record that names all queues of an outbox, since transients have no list. */
import type { Stored, Transient, Transients } from '@grantkit/core/feature'
import { changeRecord } from '@grantkit/core/internal'
import { type Ports, RECORD_SECONDS } from './queue.ts'

interface Directory extends Transient {
  readonly kind: 'outbox'
  readonly keys: readonly string[]
}

interface Named {
  readonly key: string
  /** The directory is written even if it has the name: a worker that has read it to remove the name then fails. */
  readonly isNew: boolean
  readonly isInbox?: boolean | undefined
}

/** Receivers with messages, and processes. */
const MAX_KEYS = 2000
/** Places that queues of receivers leave to inboxes: without a name, what a process left is not found. */
const INBOX_KEYS = 100
const MAX_RACES = 32
const DIRECTORY_SECONDS = 2 * RECORD_SECONDS

export type SeenDirectory = Stored<Transient> | undefined

export function directory(transients: Transients, name: string, ports: Ports) {
  const { now } = ports
  const keysIn = (seen: SeenDirectory) => (seen?.value as Directory | undefined)?.keys ?? []

  function directoryOf(keys: readonly string[]): Directory {
    return { kind: 'outbox', expiresAt: now() + DIRECTORY_SECONDS, keys }
  }

  /** @returns the names that it has now */
  const addAll = gathered(async (named: readonly Named[]): Promise<ReadonlySet<string>> => {
    let keys: ReadonlySet<string> = new Set()
    await changeRecord(transients, name, { ...ports, races: MAX_RACES }, (seen) => {
      const known = (seen as Directory | undefined)?.keys ?? []
      const all = new Set(known)
      for (const { key, isInbox } of named) if (all.size < MAX_KEYS - (isInbox ? 0 : INBOX_KEYS)) all.add(key)
      keys = all
      const outlives = seen !== undefined && seen.expiresAt > now() + RECORD_SECONDS
      const isWritten = named.some(({ key, isNew }) => isNew && keys.has(key))
      return all.size === known.length && outlives && !isWritten ? undefined : directoryOf([...all])
    })
    return keys
  })

  return {
    read: () => transients.find(name),
    keysIn,

    /** Names queues that hold messages already. @returns whether it has their names: it may be full */
    async add(named: readonly Named[]): Promise<boolean> {
      const keys = await addAll(named)
      return named.every(({ key }) => keys.has(key))
    },

    /** @param seen read before the queues were closed: whoever adds to one meanwhile writes the directory again */
    async remove(closed: readonly string[], seen: SeenDirectory): Promise<void> {
      const keys = keysIn(seen)
      const left = keys.filter((key) => !closed.includes(key))
      if (seen === undefined || left.length === keys.length) return
      const next = directoryOf(left)
      await transients.replace(name, seen, next, next.expiresAt)
    },
  }
}

/**
 * Writes what comes during a write together in the next one: requests of one process never compete for a record, however many
 * there are.
 */
export function gathered<Item, Result>(
  write: (items: readonly Item[]) => Promise<Result>,
): (items: readonly Item[]) => Promise<Result> {
  let next: { readonly items: Item[]; readonly written: Promise<Result> } | undefined
  let last: Promise<unknown> = Promise.resolve()
  function begin() {
    const items: Item[] = []
    const written = last.then(() => {
      next = undefined
      return write(items)
    })
    last = written.catch(() => {})
    return { items, written }
  }
  return (items) => {
    next ??= begin()
    next.items.push(...items)
    return next.written
  }
}
