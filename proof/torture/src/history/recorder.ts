import { createHmac, randomBytes } from 'node:crypto'
import type { Operation } from './operation.ts'

/** Collects the operations of a run. Credentials become salted hashes here, so that no secret reaches a file. */
export class Recorder {
  readonly #salt = randomBytes(32)
  readonly #operations: Operation[] = []

  /** @returns `undefined` for no credential */
  hash(secret: string | undefined): string | undefined {
    if (secret === undefined) return undefined
    return createHmac('sha256', this.#salt).update(secret).digest('base64url').slice(0, 16)
  }

  add(operation: Omit<Operation, 'id'>): Operation {
    const numbered = { ...operation, id: this.#operations.length }
    this.#operations.push(numbered)
    return numbered
  }

  /** How many operations there are, to read from there later. */
  get length(): number {
    return this.#operations.length
  }

  /** The operations from a place on. */
  since(place: number): readonly Operation[] {
    return this.#operations.slice(place)
  }
}
