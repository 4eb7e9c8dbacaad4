/** Competes with the same program in other processes: inserts, replacements, removals, each on command. */
import { once } from 'node:events'
import { createSqliteStore } from '../../src/index.ts'
import { begun } from './process.ts'

const { path, client, end } = await begun()
const store = createSqliteStore({ path })
const { clients } = store
const ids = Array.from({ length: 100 }, (_, index) => `client-${index}`)

for (const compete of [insert, replace, remove]) {
  const won: string[] = []
  for (const id of ids) if (await compete(id)) won.push(id)
  process.send?.(won)
  await once(process, 'message')
}
await store.close()
process.disconnect()

function insert(id: string): Promise<boolean> {
  return clients.insert(id, client, end)
}

/** Counts in one record, whatever the id: each that wins is one more. */
async function replace(): Promise<boolean> {
  const seen = await clients.find('client-0')
  if (seen === undefined) throw new Error('The client is gone')
  const next = { ...seen.value, createdAt: seen.value.createdAt + 1 }
  return clients.replace('client-0', seen, next, end)
}

function remove(id: string): Promise<boolean> {
  return clients.remove(id)
}
