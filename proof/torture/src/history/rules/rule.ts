import type { Case } from '../effect.ts'
import type { Ends } from '../ends.ts'
import type { Operation } from '../operation.ts'

/** A case with its end, and names for its credentials. */
export interface Subject extends Case {
  readonly ends: Ends
  /** By credential, the first acknowledged revocation of it. */
  readonly revocations: ReadonlyMap<string, Operation>
  /** The refreshes that can have happened, in the order in which they were sent. */
  readonly refreshes: readonly Operation[]
  nameOf(key: string): string
}

/** What breaks a rule. */
export interface Violation {
  /** The operations that show it. The last one is to blame. */
  readonly operations: readonly Operation[]
  /** One sentence. */
  readonly seen: string
  /** Instead of those of the rule. */
  readonly fix?: string
  readonly rfc?: string
}

/** A condition that each history of a correct server meets. */
export interface Rule {
  readonly verdict: 'unsafe' | 'lossy' | 'noisy' | 'declared'
  readonly rfc: string
  readonly fix: string
  /** It judges all operations of a check together, not each family alone. */
  readonly whole?: true
  find(subject: Subject): Violation | undefined
}
