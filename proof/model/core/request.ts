import type { IssuedTokens } from '../../../packages/core/src/grants/grant.ts'
import type { Grant } from '../../../packages/core/src/kernel/records.ts'
import type { GrantRecords } from '../../../packages/core/src/kernel/store.ts'

/** `waits`: it has decided, and its write has not begun. `pending`: the user has not decided about the device. */
export type Progress =
  | { readonly kind: 'waits'; readonly ends: boolean }
  | {
      readonly kind: 'answered'
      readonly result: Pick<IssuedTokens, 'accessToken' | 'refreshToken' | 'retried'>
    }
  | { readonly kind: 'refused' }
  | { readonly kind: 'pending' }

/** Stops a request before a write of this record. @throws `LOST`, if the store is to fail before the write */
export type Gate = (value: Grant) => Promise<void>

/** The store failed before a write. */
export const LOST = new Error('The store failed before the write')

/**
 * One request on its way. It stops before each write, until the trace lets it go on: so two requests read the same record, as
 * two replicas do.
 */
export class HeldRequest {
  readonly #done: Promise<Progress>
  #stopped = Promise.withResolvers<Progress>()
  #let = Promise.withResolvers<'write' | 'fail'>()
  #ending = false

  /** @param send its store asks the gate before each write of a grant */
  constructor(send: (gate: Gate) => Promise<Progress>) {
    this.#done = send((value) => this.#pass(value))
  }

  /** Where it stops next. */
  progress(): Promise<Progress> {
    return Promise.race([this.#stopped.promise, this.#done])
  }

  /** Lets it write, or lets the store fail before the write. */
  async goOn(how: 'write' | 'fail'): Promise<Progress> {
    const current = this.#let
    this.#stopped = Promise.withResolvers<Progress>()
    this.#let = Promise.withResolvers<'write' | 'fail'>()
    current.resolve(how)
    return await this.progress()
  }

  async #pass(value: Grant): Promise<void> {
    // An end that has begun is tried again until it is there.
    if (this.#ending) return
    const ends = hasEnded(value)
    this.#stopped.resolve({ kind: 'waits', ends })
    if ((await this.#let.promise) === 'fail') throw LOST
    this.#ending = ends
  }
}

/** @param gate of the request that writes; `undefined` for one that nothing stops */
export function gated(grants: GrantRecords, gate: () => Gate | undefined): GrantRecords {
  return {
    ...grants,
    async replace(id, seen, value, expiresAt) {
      await gate()?.(value)
      return await grants.replace(id, seen, value, expiresAt)
    },
  }
}

export function hasEnded({ clientId }: Grant): boolean {
  return clientId === ''
}
