import { expect, it } from 'vitest'
import { rowQueue } from './row-queue.ts'

/** A queue before a database that refuses some rows. */
function open(isRefused: (row: number) => boolean) {
  const written = new Set<number>()
  const statements: number[] = []
  const warnings: string[] = []
  const queue = rowQueue<number>({
    name: 'audit trail',
    async insert(batch) {
      statements.push(batch.length)
      if (batch.some(isRefused))
        throw Object.assign(new Error('index row size 2800 exceeds btree maximum'), { code: '54000' })
      for (const row of batch) written.add(row)
    },
    onWarning: (warning) => warnings.push(warning),
  })
  const add = (count: number) => {
    for (let row = 0; row < count; row++) queue.add(row, 10_000)
  }
  return { add, queue, written, statements, warnings }
}

it('a row that the database refuses is dropped and reported, and stops no other row', async () => {
  const { add, queue, written, warnings } = open((row) => row === 3)
  add(1000)
  await queue.close()
  expect(written.size).toBe(999)
  expect(warnings).toEqual([
    expect.stringMatching(/^The database refuses 1 entries .* lost: .*btree maximum/),
  ])
})

it('rows wait while the database refuses all of them, as without their table', async () => {
  let isMissing = true
  const { add, queue, written, statements, warnings } = open(() => isMissing)
  add(150)
  await queue.flush()
  expect(warnings).toEqual([expect.stringContaining('waits for its database')])
  expect(statements.length).toBeLessThan(15)
  isMissing = false
  await queue.close()
  expect(written.size).toBe(150)
})

it('a row that is refused alone waits for others, which show that it is at fault', async () => {
  const { add, queue, written } = open((row) => row === 0)
  add(1)
  await queue.flush()
  queue.add(7, 10_000)
  await queue.close()
  expect([...written]).toEqual([7])
})
