import type { Store } from '@grantkit/core'
import type { Records, Transients } from '@grantkit/core/feature'
import type { Conditions } from './conditions.ts'
import { faultyStep } from './faulty-step.ts'

/** The store as one process reaches it. */
export function faultyStore(store: Store, conditions: Conditions, isAlive: () => boolean): Store {
  const link: Link = { conditions, isAlive }
  const { clients, grants, transients } = store
  return {
    clients: { ...faultyRecords(clients, link), scan: () => clients.scan() },
    grants: {
      ...faultyRecords(grants, link),
      scan: () => grants.scan(),
      list: (owner, page) => read(link, () => grants.list(owner, page)),
    },
    transients: transients && faultyRecords(transients, link),
  }
}

interface Link {
  readonly conditions: Conditions
  readonly isAlive: () => boolean
}

type Single<T> = Omit<Records<T>, 'scan'>

function faultyRecords<T>(records: Single<T> | Transients, link: Link): Single<T> {
  const { find, insert, replace, remove } = records as Single<T>
  const { conditions, isAlive } = link
  /** A driver knows its own write by its version, so a second sending does not look like a lost race. */
  const settled = (id: string, value: T) => async (first: boolean, second: boolean) => {
    if (second || !first) return second || first
    if (JSON.stringify((await find(id))?.value) === JSON.stringify(value)) return true
    throw new Error('A write may have been carried out whose answer was lost')
  }
  const write = (
    apply: () => Promise<boolean>,
    settle: (first: boolean, second: boolean) => Promise<boolean>,
  ) => faultyStep(conditions, isAlive, { isWrite: true, apply, settle })
  return {
    find: (id) => read(link, () => find(id)),
    insert: (id, value, expiresAt) => write(() => insert(id, value, expiresAt), settled(id, value)),
    replace: (id, seen, value, expiresAt) =>
      write(() => replace(id, seen, value, expiresAt), settled(id, value)),
    remove: (id) =>
      write(
        () => remove(id),
        async (first, second) => first || second,
      ),
  }
}

function read<T>({ conditions, isAlive }: Link, apply: () => Promise<T>): Promise<T> {
  return faultyStep(conditions, isAlive, { isWrite: false, apply })
}
