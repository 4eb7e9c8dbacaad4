import { setTimeout as delay } from 'node:timers/promises'
import type { Grant } from './grant.ts'

interface Entry {
  readonly version: number
  readonly grant: Grant
}

/** Grants behind 0-5 ms of delay for each call, as a database of its own would have. */
export class SlowStore {
  readonly #entries = new Map<string, Entry>()

  async insert(grant: Grant): Promise<void> {
    await wait()
    this.#entries.set(grant.id, { version: 0, grant })
  }

  async read(id: string): Promise<Entry | undefined> {
    await wait()
    return this.#entries.get(id)
  }

  /** Compares the version and writes. @returns whether nobody wrote since `seen` was read */
  async replace(seen: Entry, grant: Grant, how: { blind?: boolean; unseen?: boolean }): Promise<boolean> {
    await wait()
    const current = this.#entries.get(grant.id)
    if (current?.version !== seen.version && !how.blind) return false
    this.#entries.set(grant.id, { version: seen.version + (how.unseen ? 0 : 1), grant })
    return true
  }

  all(): Grant[] {
    return [...this.#entries.values()].map(({ grant }) => grant)
  }

  /** Writes all without delay. */
  changeAll(change: (grant: Grant) => Grant): void {
    for (const [id, { version, grant }] of this.#entries)
      this.#entries.set(id, { version: version + 1, grant: change(grant) })
  }
}

function wait(): Promise<void> {
  return delay(Math.random() * 5)
}
