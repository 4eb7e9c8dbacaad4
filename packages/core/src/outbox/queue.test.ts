import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it, vi } from 'vitest'
import { strongRandom } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import { queues } from './queue.ts'

const NOW = 1_800_000_000
const LEASE_SECONDS = 60

/** Two processes at one queue. The facts of a message are when it is due, in seconds. */
function open(maxWaiting = 1000) {
  const clock = { now: NOW }
  const now = () => clock.now
  const transients = createMemoryStore({ now }).transients as Transients
  const process = () => queues<number>({ transients, name: 'q', now, random: strongRandom, maxWaiting })
  const [one, other] = [process(), process()]
  const claimed = async (queue: typeof one) => {
    const found = await queue.claim('key')
    return typeof found === 'object' ? found.entries.map(({ facts }) => facts) : found && found - NOW
  }
  /** Delivers until there is nothing to do, five times at most. */
  async function delivered() {
    const all: Awaited<ReturnType<typeof claimed>>[] = []
    while (all.length < 5) {
      all.push(await claimed(one))
      if (!Array.isArray(all.at(-1))) break
      await one.release('key', [])
    }
    return all
  }
  const add = (...dues: number[]) => one.add('key', 'app.dev', dues.map(entry))
  return { clock, transients, one, other, claimed, delivered, add }
}

function entry(due: number) {
  return { id: `m${due}`, storedAt: NOW, due: NOW + due, attempts: 0, facts: due }
}

const times = (count: number, due: number) => Array.from({ length: count }, () => due)

it.each<[string, number[], unknown[], unknown[]]>([
  ['without a message', [], [undefined], [undefined]],
  ['with a message', [0], [[0], undefined], [undefined]],
  ['with messages for later', [9, 5], [5], [[9, 5], undefined]],
  ['with some messages for later', [5, 0, -1], [[0, -1], 5], [[5], undefined]],
  ['with batches', times(65, 0), [times(32, 0), times(32, 0), [0], undefined], [undefined]],
  ['with a batch for later', [...times(32, 9), 0], [[0], 9], [times(32, 9), undefined]],
  ['with a batch, partly for later', [0, ...times(32, 9)], [[0], 9], [times(32, 9), undefined]],
])('a queue %s gives a worker what is due, and says when to come again', async (_, dues, now, later) => {
  const { clock, add, delivered } = open()
  await add(...dues)
  expect(await delivered()).toEqual(now)
  clock.now += 9
  expect(await delivered()).toEqual(later)
})

it('a queue without a record gives nothing, and is empty', async () => {
  const { transients, one } = open()
  expect(await one.claim('key')).toBe(undefined)
  expect(await one.close('key')).toBe(true)
  expect(await transients.find('q.key')).toBe(undefined)
})

it('a queue has 32 messages in its record, and more in a batch, which is removed when a worker takes it', async () => {
  const { transients, add, claimed, one } = open()
  const insert = vi.spyOn(transients, 'insert')
  await add(...times(32, 0))
  await add(1)
  expect(insert.mock.calls.map(([, { kind }]) => kind)).toEqual(['outbox-queue', 'outbox-batch'])
  const batch = insert.mock.calls[1]?.[0] as string
  expect(batch).toMatch(/^q\.key\.[\w-]{22}$/)
  expect(await claimed(one)).toEqual(times(32, 0))
  expect(await transients.find(batch)).toBe(undefined)
})

it('a batch whose record is gone has no messages, and its lease keeps others out too', async () => {
  const { transients, one, other, add, claimed, delivered } = open()
  const insert = vi.spyOn(transients, 'insert')
  await add(...times(33, 0))
  await transients.remove(insert.mock.calls[0]?.[0] as string)
  expect(await claimed(one)).toEqual([])
  expect(await claimed(other)).toBe(LEASE_SECONDS)
  await one.release('key', [])
  expect(await delivered()).toEqual([[0], undefined])
})

it('a lease keeps others out until it ends; then they get the same messages, and again what failed', async () => {
  const { clock, one, other, claimed, add } = open()
  await add(0, 1)
  expect(await claimed(one)).toEqual([0])
  await add(-5)
  clock.now += LEASE_SECONDS - 1
  expect(await claimed(other)).toBe(LEASE_SECONDS)
  clock.now += 1
  expect(await claimed(other)).toEqual([0])
  await other.release('key', [entry(99)])
  expect(await claimed(one)).toEqual([1, -5])
  await one.release('key', [])
  expect(await claimed(one)).toBe(99)
})

it.each<[string, (opened: ReturnType<typeof open>) => Promise<unknown>]>([
  ['is gone', ({ transients }) => transients.remove('q.key')],
  ['was taken over', ({ other }) => other.claim('key')],
  ['was taken over and given back', ({ other }) => other.claim('key').then(() => other.release('key', []))],
])('a worker that comes back late writes nothing when its queue %s', async (_, act) => {
  const opened = open()
  const { transients, clock, one, add } = opened
  await add(0)
  await one.claim('key')
  clock.now += LEASE_SECONDS
  await act(opened)
  const before = await transients.find('q.key')
  await one.release('key', [entry(0)])
  expect(await transients.find('q.key')).toEqual(before)
})

it.each<[string, number[], number[], boolean]>([
  ['empty', [], [], true],
  ['one with a message', [0], [], false],
  ['one with a batch', times(33, 0), [], false],
  ['one at work', [0, 0], [], false],
  ['one at work with as much to come', [0, 0], [0, 0], false],
])('only an empty queue is closed, and must be named anew: %s', async (name, before, after, closes) => {
  const { one, add } = open()
  expect(await add(...before)).toMatchObject({ isNew: true })
  if (name.includes('at work')) await one.claim('key')
  expect(await add(...after)).toMatchObject({ isNew: false })
  expect(await one.close('key')).toBe(closes)
  expect(await add(0)).toMatchObject({ isNew: closes })
})

it.each([
  [96, 0, [10, 20, 30]],
  [95, 32, [20, 30]],
  [64, 32, [20, 30]],
  [63, 64, [30]],
  [1, 64, [30]],
])('of 96 messages, %d at most, %d are dropped: the oldest batches', async (maxWaiting, expected, left) => {
  const { transients, one, delivered } = open(maxWaiting)
  // Another process writes first, so the second change runs twice.
  vi.spyOn(transients, 'replace').mockResolvedValueOnce(false)
  let sum = 0
  for (const at of [20, 10, 30]) {
    // A batch is as old as its oldest message.
    const storedAt = (index: number) => NOW + (index === 0 ? 40 : at)
    const stored = times(32, at).map((facts, index) => ({ ...entry(0), facts, storedAt: storedAt(index) }))
    sum += (await one.add('key', 'app.dev', stored)).dropped
  }
  expect(sum).toBe(expected)
  const found = (await delivered()).flatMap((facts) => (Array.isArray(facts) ? facts.slice(0, 1) : []))
  expect(found.sort()).toEqual(left)
})

it('a change gives up when others have written first 32 times', async () => {
  const { transients, add } = open()
  await add(0)
  const replace = vi.spyOn(transients, 'replace')
  for (let call = 0; call < 32; call++) replace.mockResolvedValueOnce(false)
  replace.mockRejectedValue(new Error('has not given up'))
  await expect(add(1)).rejects.toMatchObject({ status: 503 })
  expect(replace).toHaveBeenCalledTimes(32)
})
