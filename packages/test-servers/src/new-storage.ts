import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from './folder-in-memory.ts'

/** New and empty storage of a service. */
export interface NewStorage {
  /** The settings that name it. */
  readonly environment: { readonly DATABASE_URL: string; readonly STORE_URL: string }
  close(): Promise<void>
}

/** What the service can keep its records in. */
const KINDS = { memory: inMemory, sqlite, postgres, redis }
export type StorageKind = keyof typeof KINDS

const { STORAGE = 'sqlite', POSTGRES_URL } = process.env

/** Tests run the service on the storage that the environment names; without one, on the default of `pnpm start`. */
export const storageUnderTest = kindNamed(STORAGE)

export function newStorage(kind: StorageKind = storageUnderTest): Promise<NewStorage> {
  return KINDS[kind]()
}

function kindNamed(name: string): StorageKind {
  if (Object.hasOwn(KINDS, name)) return name as StorageKind
  throw new Error(`STORAGE must be one of ${Object.keys(KINDS).join(', ')}`)
}

async function inMemory(): Promise<NewStorage> {
  return { environment: { DATABASE_URL: 'memory:', STORE_URL: 'memory:' }, close: async () => {} }
}

async function sqlite(): Promise<NewStorage> {
  const folder = await folderInMemory('sqlite')
  const [DATABASE_URL, STORE_URL] = ['service', 'grants'].map(
    (name) => `sqlite:${join(folder, `${name}.sqlite`)}`,
  ) as [string, string]
  return { environment: { DATABASE_URL, STORE_URL }, close: () => rm(folder, { recursive: true }) }
}

/** One database for both, of the server that `postgres-for-tests.ts` started. */
async function postgres(): Promise<NewStorage> {
  if (POSTGRES_URL === undefined) throw new Error('POSTGRES_URL must name a Postgres for tests')
  const { newDatabase } = await import('./postgres-database.ts')
  const server = await newDatabase(POSTGRES_URL)
  return { environment: { DATABASE_URL: server.url, STORE_URL: server.url }, close: server.drop }
}

/** Holds the records of OAuth alone. Replicas share the file of the accounts: an account has one epoch. */
async function redis(): Promise<NewStorage> {
  const { startRedis } = await import('./redis-server.ts')
  const [server, folder] = await Promise.all([startRedis(), folderInMemory('redis')])
  return {
    environment: { DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`, STORE_URL: server.url },
    close: async () => {
      await server.close()
      await rm(folder, { recursive: true })
    },
  }
}
