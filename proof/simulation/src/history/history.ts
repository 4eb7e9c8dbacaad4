import { createHash } from 'node:crypto'
import type { Operation } from '@grantkit/torture'
import type { NewOperation } from './new-operation.ts'
import { effectOf, type SignOut } from './sign-outs.ts'

/** A credential begins with its kind and the id of its grant. */
const CREDENTIAL = /^gk([acdr])_([\w-]{22})\./

/**
 * The operations of a run. A credential is named by its kind and the order in which it came, so the same run gives the same
 * history, and no history has a secret.
 */
export class History {
  readonly #operations: Operation[] = []
  readonly #names = new Map<string, string>()
  readonly #familyOfGrant = new Map<string, string>()
  readonly #subjectOfFamily = new Map<string, string>()
  readonly #signOuts: SignOut[] = []

  get operations(): readonly Operation[] {
    return this.#operations
  }

  /** @returns `undefined` for no credential */
  nameOf(secret: string | undefined, family: string): string | undefined {
    if (secret === undefined) return undefined
    const known = this.#names.get(secret)
    if (known !== undefined) return known
    const [, kind = 'x', grantId = ''] = CREDENTIAL.exec(secret) ?? []
    const name = `${kind.toUpperCase()}${this.#names.size + 1}`
    this.#names.set(secret, name)
    this.#familyOfGrant.set(grantId, family)
    return name
  }

  /** A user is about to approve a grant. */
  begin(family: string, subject: string): void {
    this.#subjectOfFamily.set(family, subject)
  }

  signedOut(signOut: SignOut): void {
    this.#signOuts.push(signOut)
  }

  /** Adds what the sign-outs meant for each grant. */
  end(): void {
    if (this.#signOuts.length === 0) return
    const approvals = this.#operations.filter(({ f }) => f === 'approve')
    for (const signOut of this.#signOuts)
      for (const approval of approvals) {
        const isOfUser = this.#subjectOfFamily.get(approval.family) === signOut.subject
        const effect = isOfUser ? effectOf(signOut, approval) : undefined
        if (effect !== undefined) this.add(effect)
      }
  }

  familyOf(grantId: string): string | undefined {
    return this.#familyOfGrant.get(grantId)
  }

  add(operation: NewOperation): void {
    const { forgotten, ...rest } = operation
    const id = this.#operations.length
    this.#operations.push({ ...rest, ...(forgotten && { forgotten }), id })
  }

  /** The same for the same run. */
  hash(): string {
    return createHash('sha256').update(JSON.stringify(this.#operations)).digest('hex').slice(0, 16)
  }
}

export function grantIdOf(credential: string): string | undefined {
  return CREDENTIAL.exec(credential)?.[2]
}
