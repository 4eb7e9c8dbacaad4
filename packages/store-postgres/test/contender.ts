/** A process that races with another one: for each grant it inserts a copy, and replaces and removes the grant itself. */
import { once } from 'node:events'
import { createPostgresStore } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './patient.ts'

export interface Outcome {
  readonly inserted: boolean
  readonly replaced: boolean
  readonly removed: boolean
}

const [url = '', ...ids] = process.argv.slice(2)
const pool = poolOf(url)
const { grants } = await createPostgresStore(pool, PATIENT)
const races = await Promise.all(
  ids.map(async (id) => {
    const seen = await grants.find(id)
    if (seen === undefined) throw new Error(`There is no grant ${id}`)
    return async (): Promise<Outcome> => ({
      inserted: await grants.insert(`copy of ${id}`, seen.value, soon()),
      replaced: await grants.replace(id, seen, seen.value, soon()),
      removed: await grants.remove(id),
    })
  }),
)
process.send?.('ready')
await once(process, 'message')
process.send?.(await Promise.all(races.map((race) => race())))
await pool.end()
process.disconnect()
