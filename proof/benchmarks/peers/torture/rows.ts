import type { StoreKind } from './raced-server.ts'

/** A row of the table: a server with a store, in a process of its own. */
export interface Row {
  readonly name: string
  readonly title: string
  /** From this folder. Absent: there is nothing to race. */
  readonly file?: string
  /** Of `node_modules`, for its version. */
  readonly package?: string
  readonly store: string
  /** What the store is, in words. */
  readonly words: string
}

/** Its tests start it too. */
const GRANTKIT = '../../../torture/test/grantkit-process.ts'

export const ROWS: readonly Row[] = [
  ...['memory', 'SQLite', 'Postgres', 'Redis', 'MySQL'].map(grantkit),
  ...peer('oidc-provider', 'oidc-provider', {
    documented: 'an adapter whose `consume` marks a record',
    safest: 'an adapter whose `consume` rejects for a marked record',
  }),
  ...peer('node-oauth', '@node-oauth/oauth2-server', {
    documented: 'a model whose revocations delete, and say whether something was there',
  }),
  ...peer('jmondi', '@jmondi/oauth2-server', {
    documented: 'repositories whose `revoke` marks a record',
    safest: 'repositories whose `revoke` rejects for a marked record',
  }),
  ...peer('workers', '@cloudflare/workers-oauth-provider', { documented: 'Workers KV, by Miniflare' }),
  ...peer('better-auth', '@better-auth/oauth-provider', {
    documented: 'an adapter with the optional `consumeOne`, as its own adapters have it',
  }),
  {
    ...{ name: 'mcp', title: '@modelcontextprotocol/sdk', package: '@modelcontextprotocol/sdk' },
    ...{ store: '', words: 'none: codes and tokens are the duty of the application' },
  },
]

export function isGrantkit({ file }: Row): boolean {
  return file === GRANTKIT
}

function grantkit(store: string): Row {
  const name = `grantkit-${store.toLowerCase()}`
  return { name, title: 'Grantkit', file: GRANTKIT, store, words: `${store}, two replicas` }
}

function peer(name: string, title: string, stores: Partial<Record<StoreKind, string>>): readonly Row[] {
  return Object.entries(stores).map(([store, words]) => {
    const row = store === 'documented' ? name : `${name}-${store}`
    return { name: row, title, file: `${name}.ts`, package: title, store, words }
  })
}
