/** Numbers that a seed repeats (sfc32). Never for secrets of a real server. */
export class SeededRandom {
  #a: number
  #b: number
  #c: number
  #count = 1

  constructor(seed: number) {
    this.#a = seed | 0
    this.#b = Math.imul(seed, 0x9e3779b1) | 0
    this.#c = 0x2545f491
    for (let warm = 0; warm < 12; warm++) this.#next()
  }

  /** From 0 to 1, without 1. */
  fraction(): number {
    return this.#next() / 4_294_967_296
  }

  between(low: number, high: number): number {
    return low + this.fraction() * (high - low)
  }

  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.fraction() * items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from')
    return item
  }

  /** The port `Random` of core. */
  bytes = (size: number): Uint8Array => {
    const bytes = new Uint8Array(size)
    for (let at = 0; at < size; at++) bytes[at] = this.#next() & 0xff
    return bytes
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}
