/** What runs in a workerd of its own. */
export interface Side {
  readonly name: string
  /** A file of `workers/`. */
  readonly worker: string
  /** The same, which counts the operations of its store. */
  readonly counted: string
  /** Of the emulator. */
  readonly bindings: object
  readonly store: 'objects' | 'd1' | 'kv'
}

export const SIDES: readonly Side[] = [
  {
    name: 'Grantkit on Durable Objects',
    worker: 'objects',
    counted: 'objects-counted',
    bindings: { durableObjects: { RECORDS: { className: 'GrantkitRecords', useSQLite: true } } },
    store: 'objects',
  },
  {
    name: 'Grantkit on D1',
    worker: 'd1',
    counted: 'd1-counted',
    bindings: { d1Databases: ['DB'] },
    store: 'd1',
  },
  {
    name: 'workers-oauth-provider on KV',
    worker: 'peer',
    counted: 'peer-counted',
    bindings: { kvNamespaces: ['OAUTH_KV'] },
    store: 'kv',
  },
]

/** The same without OAuth: what the runtime and HTTP cost. */
export const BARE = { name: 'bare Worker', worker: 'bare', bindings: {} }

export type Measured = Side | typeof BARE

export function isGrantkit({ store }: Side): boolean {
  return store !== 'kv'
}
