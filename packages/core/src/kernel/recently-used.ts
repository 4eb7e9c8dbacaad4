interface Entry<Value> {
  readonly name: string
  readonly value: Value
  readonly size: number
  older: Entry<Value>
  newer: Entry<Value>
}

interface Bounds<Value> {
  /** Of all values together, by `sizeOf`. Default: only their number is limited. */
  readonly maxSize?: number | undefined
  readonly sizeOf?: ((value: Value) => number) | undefined
  /** When a value ends, on the clock `now`. Default: never. */
  readonly endOf?: ((value: Value) => number) | undefined
  readonly now?: (() => number) | undefined
}

/**
 * Values by name, those that were used last. A list beside the Map gives their order: the first entry of a large Map takes longer
 * to find with every deletion.
 */
export class RecentlyUsed<Value extends NonNullable<unknown>> {
  readonly #max: number
  readonly #bounds: Bounds<Value>
  readonly #entries = new Map<string, Entry<Value>>()
  #newest: Entry<Value> | undefined
  #size = 0

  constructor(max: number, bounds: Bounds<Value> = {}) {
    this.#max = max
    this.#bounds = bounds
  }

  get(name: string): Value | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    const { endOf, now } = this.#bounds
    if (endOf !== undefined && now !== undefined && now() >= endOf(entry.value)) {
      this.delete(name)
      return undefined
    }
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#link(entry)
    }
    return entry.value
  }

  set(name: string, value: Value): void {
    this.delete(name)
    const size = this.#bounds.sizeOf?.(value) ?? 0
    const entry = { name, value, size } as Entry<Value>
    this.#link(entry)
    this.#entries.set(name, entry)
    this.#size += size
    // The list is a ring: what is newer than the newest entry is the oldest one.
    while (this.#newest !== undefined && this.#isFull()) this.delete(this.#newest.newer.name)
  }

  delete(name: string): void {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    this.#unlink(entry)
    this.#entries.delete(name)
    this.#size -= entry.size
  }

  #isFull(): boolean {
    return this.#entries.size > this.#max || this.#size > (this.#bounds.maxSize ?? Number.POSITIVE_INFINITY)
  }

  #link(entry: Entry<Value>): void {
    const before = this.#newest ?? entry
    const oldest = this.#newest?.newer ?? entry
    entry.older = before
    entry.newer = oldest
    before.newer = entry
    oldest.older = entry
    this.#newest = entry
  }

  #unlink(entry: Entry<Value>): void {
    const { older, newer } = entry
    older.newer = newer
    newer.older = older
    if (this.#newest === entry) this.#newest = older === entry ? undefined : older
  }
}
