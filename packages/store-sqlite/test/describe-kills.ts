import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { aClient, aGrant } from '@grantkit/testkit'
import { expect, it } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { createSqliteStore, migrate } from '../src/index.ts'
import { newFolder, soon } from './files.ts'
import { startProcess } from './processes/process.ts'

/** Kills a writer again and again, always on the same file, and checks that acknowledged writes are there. */
export function describeKills(times: number): void {
  const timeout = 20_000 + 3000 * times
  it(`keeps each acknowledged write when its process is killed, ${times} times`, { timeout }, async () => {
    const { path, remove } = await newFolder()
    migrate({ path })
    let acknowledged = 0
    for (let time = 0; time < times; time++) {
      const writes = await writesOfKilled(path)
      await expectWritten(path, writes)
      acknowledged += writes.length
    }
    expect(acknowledged).toBeGreaterThan(100 * times)
    await remove()
  })
}

async function writesOfKilled(path: string): Promise<string[]> {
  const writer = await startProcess('write-until-killed.ts')
  writer.send({ path, client: aClient(), grant: aGrant({ usedAt: 1 }), end: soon() })
  let heard = 0
  writer.stdout?.on('data', (chunk: Buffer) => {
    heard += chunk.length
    // Some hundred writes, and then at any moment: in a statement, in a commit, or while the log is written back.
    if (heard > 20_000 + Math.random() * 200_000) writer.kill('SIGKILL')
  })
  const [output] = await Promise.all([text(writer.stdout as NodeJS.ReadableStream), once(writer, 'exit')])
  return output.split('\n').slice(0, -1)
}

async function expectWritten(path: string, writes: readonly string[]): Promise<void> {
  const store = createSqliteStore({ path, sweeping: false })
  for (const [id, last] of lastWrites(writes)) {
    const usedAt = (await store.grants.find(id))?.value.usedAt
    // The next write may have been carried out and not been acknowledged.
    expect(POSSIBLE[last], `${id}, ${last}`).toContain(usedAt)
  }
  await store.close()
  const database = openDatabase(path)
  expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
  database.close()
}

type Written = 'inserted' | 'replaced' | 'replaced for good' | 'removed'

const POSSIBLE: Readonly<Record<Written, readonly (number | undefined)[]>> = {
  inserted: [1, 2],
  replaced: [2, undefined],
  'replaced for good': [2],
  removed: [undefined],
}

function lastWrites(writes: readonly string[]): Map<string, Written> {
  return new Map(
    writes.map((line) => {
      const [write = '', id = ''] = line.split(' ')
      const kept = write === 'replaced' && Number(id.split('-').at(-1)) % 2 === 0
      return [id, (kept ? 'replaced for good' : write) as Written]
    }),
  )
}
