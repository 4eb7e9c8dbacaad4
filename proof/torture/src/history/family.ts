import type { Operation } from './operation.ts'

export type CredentialKind = 'code' | 'refresh' | 'access'

interface Issue {
  readonly kind: CredentialKind
  readonly operation: Operation
}

/** The operations of one grant, with an index of its credentials. Families share nothing, so each is judged alone. */
export interface Family {
  readonly name: string
  /** By the time at which they were sent. */
  readonly operations: readonly Operation[]
  /** What brought a credential first. Absent for one that the history starts with. */
  readonly issues: ReadonlyMap<string, Issue>
  /** The redemptions, polls and refreshes that present a credential. */
  readonly spends: ReadonlyMap<string, readonly Operation[]>
  /** By exchanged token, the token that it was exchanged for. */
  readonly parents: ReadonlyMap<string, string>
}

/** The families of a history, in linear time but for the sort. */
export function familiesOf(history: readonly Operation[]): Family[] {
  const groups = Map.groupBy(history, ({ family }) => family)
  return [...groups].map(([name, operations]) => familyOf(name, operations))
}

export function familyOf(name: string, unsorted: readonly Operation[]): Family {
  const operations = unsorted.toSorted((a, b) => a.invoked - b.invoked || a.id - b.id)
  const issues = new Map<string, Issue>()
  const spends = new Map<string, Operation[]>()
  const parents = new Map<string, string>()
  for (const operation of operations) {
    for (const [kind, credential] of broughtBy(operation))
      if (!issues.has(credential)) issues.set(credential, { kind, operation })
    const { f, key, access } = operation
    if (f === 'exchange' && access !== undefined && key !== undefined) parents.set(access, key)
    if (!isSpend(operation)) continue
    const others = spends.get(operation.key)
    if (others === undefined) spends.set(operation.key, [operation])
    else others.push(operation)
  }
  return { name, operations, issues, spends, parents }
}

/** Whether it presents a credential that works once. */
export function isSpend(operation: Operation): operation is Operation & { readonly key: string } {
  const { f, key } = operation
  return key !== undefined && (f === 'redeem' || f === 'poll' || f === 'refresh')
}

/**
 * A token and those that it was exchanged for, the nearest first. A server may end it with each of them: RFC 8693 leaves
 * that open.
 */
export function lineOf({ parents }: Family, key: string): readonly string[] {
  const line = new Set<string>()
  for (let next: string | undefined = key; next !== undefined && !line.has(next); next = parents.get(next))
    line.add(next)
  return [...line]
}

/** What kind of credential it is. One that the history does not issue is what the requests use it as. */
export function kindOf(family: Family, key: string): CredentialKind {
  const issued = family.issues.get(key)?.kind
  if (issued !== undefined) return issued
  const use = family.spends.get(key)?.[0]?.f
  if (use === undefined) return 'access'
  return use === 'refresh' ? 'refresh' : 'code'
}

/** The device code of an approval is the key that it approves. */
export function broughtBy(operation: Operation): [CredentialKind, string][] {
  const { f, key, code, access, refresh, result } = operation
  const approved = code ?? (f === 'approve' && result !== 'fail' ? key : undefined)
  const brought: [CredentialKind, string | undefined][] = [
    ['code', approved],
    ['access', access],
    ['refresh', refresh],
  ]
  return brought.filter((pair): pair is [CredentialKind, string] => pair[1] !== undefined)
}
