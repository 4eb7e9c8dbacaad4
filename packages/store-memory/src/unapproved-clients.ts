import type { Client } from '@grantkit/core/feature'

/** What a client takes besides its texts. */
const OVERHEAD = 600

/**
 * The self-registered clients without an approval: unauthenticated callers can register them, so their memory is limited.
 * An approval prolongs a client, and nothing else ever changes one.
 */
export class UnapprovedClients {
  readonly #sizes = new Map<string, number>()
  readonly #limit: number
  /** It stays where it is: a search from the start passes over all that was ever deleted. */
  #oldest = this.#sizes.keys()
  #total = 0

  /** @param limit in characters of JSON */
  constructor(limit: number) {
    this.#limit = limit
  }

  follow(id: string, before?: Client, after?: Client): void {
    if (before === undefined && after?.origin === 'registered') this.#add(id, sizeOf(after))
    else this.#delete(id)
  }

  #add(id: string, size: number): void {
    this.#sizes.set(id, size)
    this.#total += size
  }

  #delete(id: string): void {
    this.#total -= this.#sizes.get(id) ?? 0
    this.#sizes.delete(id)
  }

  /** The oldest one, if the store is `full` or all of them together are too large. The caller drops it. */
  expendable(full: boolean): string | undefined {
    if (!full && this.#total <= this.#limit) return undefined
    const { value, done } = this.#oldest.next()
    if (!done) return value
    this.#oldest = this.#sizes.keys()
    return this.#oldest.next().value
  }
}

function sizeOf(client: Client): number {
  return JSON.stringify(client).length + OVERHEAD
}
