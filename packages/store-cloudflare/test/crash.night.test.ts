import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant, Stored } from '@grantkit/core/feature'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyMigrations, startWorker, type Worker } from './crash/wrangler.ts'

const KILLS = 2
const WRITERS = 4
/** Grants of each store until workerd is killed. */
const WRITES = 100
const STORES = ['objects', 'd1'] as const

let home: string
let worker: Worker | undefined
beforeAll(async () => {
  // In memory: a killed process leaves its files there, and these tests are not about the speed of a shared disk.
  const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  home = await mkdtemp(join(folder, 'grantkit-crash-'))
})
afterAll(async () => {
  await worker?.kill()
  await rm(home, { recursive: true, force: true })
})

it('wrangler applies the migration files, and a second time nothing', async () => {
  expect(await applyMigrations(home)).toMatch(/0001_grantkit\.sql.*✅/)
  expect(await applyMigrations(home)).toContain('No migrations to apply')
})

async function call<T>(store: string, method: string, ...parameters: unknown[]): Promise<T> {
  const body = JSON.stringify(parameters)
  const response = await fetch(`${worker?.url}/${store}/${method}`, { method: 'POST', body })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as T
}

/** What was acknowledged of each grant of a store: when it was used last, or that it is gone. */
type Acknowledged = Map<string, readonly (number | undefined)[]>

/** Writes until its call fails. */
async function write(store: string, name: string, acknowledged: Acknowledged): Promise<void> {
  const end = Math.floor(Date.now() / 1000) + 600
  for (let count = 0; ; count++) {
    const grant = aGrant({ id: `${store}-${name}-${count}`, usedAt: 1 })
    await call(store, 'insert', grant.id, grant, end)
    // The next write may be carried out and not be acknowledged.
    acknowledged.set(grant.id, [1, 2])
    const seen = await call<Stored<Grant>>(store, 'find', grant.id)
    await call(store, 'replace', grant.id, seen, { ...grant, usedAt: 2 }, end)
    const isRemoved = count % 2 === 1
    acknowledged.set(grant.id, isRemoved ? [2, undefined] : [2])
    if (isRemoved && (await call(store, 'remove', grant.id))) acknowledged.set(grant.id, [undefined])
  }
}

it(`both stores keep each acknowledged write when workerd is killed, ${KILLS} times`, {
  timeout: 240_000,
}, async () => {
  const written = STORES.map((store) => ({ store, acknowledged: new Map() as Acknowledged }))
  for (let kill = 1; kill <= KILLS; kill++) {
    worker = await startWorker(home)
    const writers = written.flatMap(({ store, acknowledged }) =>
      Array.from({ length: WRITERS }, (_, at) => write(store, `${kill}-${at}`, acknowledged)),
    )
    const enough = async () => {
      // At any moment.
      const least = kill * WRITES + WRITES * Math.random()
      const sizes = () => Math.min(...written.map(({ acknowledged }) => acknowledged.size))
      await expect.poll(sizes, { interval: 5, timeout: 200_000 }).toBeGreaterThanOrEqual(least)
    }
    // A writer ends only by an error, which must come after the kill.
    await Promise.race([enough(), ...writers])
    await worker.kill()
    await Promise.allSettled(writers)
  }
  worker = await startWorker(home)
  for (const { store, acknowledged } of written) await expectWritten(store, acknowledged)
})

async function expectWritten(store: string, acknowledged: Acknowledged): Promise<void> {
  const grants = [...acknowledged]
  const check = async ([id, possible]: (typeof grants)[number]) =>
    expect(possible, id).toContain((await call<Stored<Grant> | null>(store, 'find', id))?.value.usedAt)
  while (grants.length > 0) await Promise.all(grants.splice(0, 20).map(check))
}
