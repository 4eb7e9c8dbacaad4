import { changeGrant, endGrant, type Transition } from '../../src/grants/change-grant.ts'
import type { IssuedTokens } from '../../src/grants/grant.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { OAuthError } from '../../src/kernel/oauth-error.ts'
import type { Grant } from '../../src/kernel/records.ts'
import type { GrantId } from '../../src/kernel/secrets.ts'
import type { GrantRecords } from '../../src/kernel/store.ts'

/** `waits`: it has decided, and its write has not begun. */
export type Progress =
  | { readonly kind: 'waits'; readonly ends: boolean }
  | { readonly kind: 'answered'; readonly result: IssuedTokens }
  | { readonly kind: 'refused' }

/** The kernel of one replica, as far as a grant needs it. @param now in epoch seconds */
export function kernelOf(grants: GrantRecords, now: () => number): Kernel {
  return { store: { grants }, now, emit: () => {} } as unknown as Kernel
}

/**
 * One request on its way through `changeGrant`. It stops before each write, until the trace lets it go on: so two requests
 * read the same record, as two replicas do.
 */
export class HeldRequest {
  readonly #done: Promise<Progress>
  #stopped = Promise.withResolvers<Progress>()
  #let = Promise.withResolvers<'write' | 'fail'>()

  constructor(grants: GrantRecords, now: () => number, id: GrantId, transition: Transition<IssuedTokens>) {
    const held = { ...grants, replace: this.#replaceOn(grants) }
    this.#done = changeGrant(kernelOf(held, now), id, transition).then(
      (changed) => (changed ? { kind: 'answered', result: changed.result } : { kind: 'refused' }),
      (thrown: unknown) => {
        if (thrown instanceof OAuthError || thrown === LOST) return { kind: 'refused' }
        throw thrown
      },
    )
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

  #replaceOn(grants: GrantRecords): GrantRecords['replace'] {
    let ending = false
    return async (id, seen, value, expiresAt) => {
      // An end that has begun is tried again until it is there.
      if (!ending) {
        const ends = hasEnded(value)
        this.#stopped.resolve({ kind: 'waits', ends })
        if ((await this.#let.promise) === 'fail') throw LOST
        ending = ends
      }
      return await grants.replace(id, seen, value, expiresAt)
    }
  }
}

const LOST = new Error('The store failed before the write')

export function hasEnded({ clientId }: Grant): boolean {
  return clientId === ''
}

/** Ends a grant as the revocation endpoint does. */
export async function revoke(grants: GrantRecords, now: () => number, id: GrantId): Promise<void> {
  const stored = await grants.find(id)
  if (stored) await endGrant(kernelOf(grants, now), stored, { by: 'client' })
}
