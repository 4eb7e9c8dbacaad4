import type { Transients } from '@grantkit/core/feature'
import { strongRandom, systemTime } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it, vi } from 'vitest'
import { type Entry, queues } from './queue.ts'

const NOW = 1_800_000_000
const LEASE_SECONDS = 60
const IDLE_SECONDS = 120

/** Two processes at one queue. The facts of a message are when it is due, in seconds. */
function open(maxWaiting = 1000) {
  const clock = { now: NOW }
  const now = () => clock.now
  const transients = createMemoryStore({ now }).transients as Transients
  const process = (worker: string) =>
    queues<number>({
      ...{ transients, name: 'q', now, random: strongRandom, maxWaiting, worker: () => worker },
      time: { ...systemTime, sleep: async () => {} },
      expendable: (all, count) => all.slice(0, count),
    })
  const [one, other] = [process('one'), process('other')]
  const takes = ({ due }: { due: number }) => due <= now()
  const claim = (queue: typeof one, most = 100) => queue.claim('key', { most, takes })
  const claimed = async (queue: typeof one, most?: number) =>
    (await claim(queue, most))?.entries.map(({ facts }) => facts)
  /** Delivers until there is nothing to do, five times at most. */
  async function delivered(most?: number) {
    const all: (number[] | undefined)[] = []
    while (all.length < 5) {
      const facts = await claimed(one, most)
      if (facts === undefined) break
      all.push(facts)
      await one.release('key', [])
    }
    return all
  }
  const add = (...dues: number[]) => one.add('key', 'app.dev', dues.map(entry))
  const due = async () => (await one.look('key')).due - NOW
  const batches = async () => (await transients.find('q.key'))?.value as unknown as { batches: object[] }
  return { clock, transients, one, other, claim, claimed, delivered, add, due, batches }
}

let count = 0
function entry(due: number): Entry<number> {
  return { id: `m${count++}`, target: 'app.dev', storedAt: NOW, due: NOW + due, attempts: 0, facts: due }
}

const times = (count: number, due: number) => Array.from({ length: count }, () => due)
const NEVER = Number.POSITIVE_INFINITY

it.each<[string, number[], number[][], number, number[][]]>([
  ['with a message', [0], [[0]], NEVER, []],
  ['with messages for later', [9, 5], [], 5, [[9, 5]]],
  ['with some messages for later', [5, 0, -1], [[0, -1]], 5, [[5]]],
  ['with batches', times(97, 0), [times(32, 0), times(32, 0), times(33, 0)], NEVER, []],
  ['with a batch for later', [...times(32, 9), ...times(32, 0)], [times(32, 0)], 9, [times(32, 9)]],
  ['with a batch, partly for later', [0, ...times(63, 9)], [[0]], 9, [times(63, 9)]],
])('a queue %s gives a worker what is due, and says when to come again', async (_, dues, now, due, later) => {
  const opened = open()
  await opened.add(...dues)
  const sorted = (all: unknown[]) => all.map(String).sort()
  expect(sorted(await opened.delivered())).toEqual(sorted(now))
  expect(await opened.due()).toBe(due)
  opened.clock.now += 9
  expect(sorted(await opened.delivered())).toEqual(sorted(later))
})

it('a worker gets as many messages as it wants, the oldest first, also of a batch', async () => {
  const { one, delivered } = open()
  const added = Array.from({ length: 70 }, (_, index) => ({ ...entry(-index), storedAt: NOW + index }))
  await one.add('key', 'app.dev', added)
  const facts = (await delivered(20)).flatMap((each) => each ?? [])
  expect(facts).toEqual(added.map(({ facts }) => facts))
})

it('a queue without a record gives nothing, and is closed', async () => {
  const { transients, one, claim } = open()
  expect(await claim(one)).toBe(undefined)
  expect(await one.look('key')).toEqual({ due: NEVER, count: 0, isClosed: true, isFull: false })
  expect(await transients.find('q.key')).toBe(undefined)
})

it('a queue has 63 messages in its record, and more in a batch, which is removed when a worker takes it', async () => {
  const { transients, add, claimed, one } = open()
  const insert = vi.spyOn(transients, 'insert')
  await add(...times(63, 0))
  await add(1)
  expect(insert.mock.calls.map(([, { kind }]) => kind)).toEqual(['outbox-queue', 'outbox-batch'])
  const batch = insert.mock.calls[1]?.[0] as string
  expect(batch).toMatch(/^q\.key\.[\w-]{22}$/)
  expect(await claimed(one)).toEqual(times(31, 0))
  expect(await claimed(one), 'under its lease').toBe(undefined)
  await one.release('key', [])
  expect(await claimed(one)).toEqual(times(32, 0))
  expect(await transients.find(batch)).toBe(undefined)
})

it('a batch whose record is gone is counted as lost, and its lease keeps others out too', async () => {
  const { transients, one, other, add, claim, delivered } = open()
  const insert = vi.spyOn(transients, 'insert')
  await add(...times(64, 0))
  await transients.remove(insert.mock.calls[0]?.[0] as string)
  await delivered()
  await add(...times(64, 0))
  const batch = insert.mock.calls.at(-1)?.[0] as string
  await transients.remove(batch)
  const lost: number[] = []
  for (let found = await claim(one); found !== undefined; found = await claim(one)) {
    lost.push(found.lost)
    expect(await claim(other)).toBe(undefined)
    await one.release('key', [])
  }
  expect(lost.reduce((sum, each) => sum + each, 0)).toBe(32)
})

it('a lost race leaves no batch that nobody reads', async () => {
  const { transients, add } = open()
  await add(0)
  const inserted: string[] = []
  const { insert } = transients
  transients.insert = (...args) => {
    inserted.push(args[0])
    return insert(...args)
  }
  const replace = vi.spyOn(transients, 'replace')
  for (let call = 0; call < 3; call++) replace.mockResolvedValueOnce(false)
  await add(...times(64, 0))
  const found = await Promise.all(inserted.map((id) => transients.find(id)))
  expect([inserted.length, found.filter((each) => each !== undefined).length]).toEqual([4, 1])
})

it('a message whose write had no answer is added once', async () => {
  const { one, delivered } = open()
  const message = entry(0)
  for (let time = 0; time < 2; time++) await one.add('key', 'app.dev', [message])
  expect(await delivered()).toEqual([[0]])
})

it('a message whose write had no answer names its queue again, since its name may not have been written', async () => {
  const { one } = open()
  const [message, next] = [entry(0), entry(0)]
  const isNew = []
  for (const added of [message, message, next]) isNew.push(await one.add('key', 'app.dev', [added]))
  expect(isNew).toEqual([true, true, false])
})

it('a lease keeps others out until it ends; then they get the same messages, and again what failed', async () => {
  const { clock, one, other, claimed, add, due } = open()
  await add(0, 1)
  expect(await claimed(one)).toEqual([0])
  await add(-5)
  clock.now += LEASE_SECONDS - 1
  expect([await claimed(other), await due()]).toEqual([undefined, LEASE_SECONDS])
  clock.now += 1
  expect(await claimed(other)).toEqual([0, 1, -5])
  await other.release('key', [entry(99)])
  expect([await claimed(one), await due()]).toEqual([undefined, 99])
})

it.each<[string, (opened: ReturnType<typeof open>) => Promise<unknown>]>([
  ['is gone', ({ transients }) => transients.remove('q.key')],
  ['was taken over', ({ other, claim }) => claim(other)],
  ['was taken over and given back', ({ other, claim }) => claim(other).then(() => other.release('key', []))],
])('a worker that comes back late writes nothing when its queue %s', async (_, act) => {
  const opened = open()
  const { transients, clock, one, add, claim } = opened
  await add(0)
  await claim(one)
  clock.now += LEASE_SECONDS
  await act(opened)
  const before = await transients.find('q.key')
  expect(await one.release('key', [entry(0)])).toBe(false)
  expect(await transients.find('q.key')).toEqual(before)
})

it.each<[string, number[], number[], number, boolean]>([
  ['empty', [], [], IDLE_SECONDS, true],
  ['empty, but not for long', [], [], IDLE_SECONDS - 1, false],
  ['one with a message', [0], [], IDLE_SECONDS, false],
  ['one with a batch', times(64, 0), [], IDLE_SECONDS, false],
  ['one at work', [0, 0], [], IDLE_SECONDS, false],
  ['one at work with as much to come', [0, 0], [0, 0], IDLE_SECONDS, false],
])('only an empty queue is closed, and must be named anew: %s', async (name, before, after, idle, closes) => {
  const { one, add, claim, clock } = open()
  expect(await add(...before)).toBe(true)
  if (name.includes('at work')) await claim(one)
  expect(await add(...after)).toBe(false)
  clock.now += idle
  expect(await one.look('key')).toMatchObject({ isClosed: closes })
  expect(await add(0)).toBe(closes)
})

it.each([
  [96, 0],
  [95, 11],
  [50, 51],
  [1, 96],
])('of 96 messages, %d at most, %d are dropped, a tenth more than too many', async (maxWaiting, expected) => {
  const { transients, one, add, delivered } = open(maxWaiting)
  const insert = vi.spyOn(transients, 'insert')
  await add(...times(96, 0))
  const { isFull } = await one.look('key')
  expect(isFull).toBe(expected > 0)
  // Another process writes first, so each change runs twice.
  vi.spyOn(transients, 'replace').mockResolvedValueOnce(false)
  expect(await one.shrink('key')).toHaveLength(expected)
  expect((await delivered()).flat()).toHaveLength(96 - expected)
  const left = await Promise.all(insert.mock.calls.map(([id]) => transients.find(id)))
  expect(
    left.filter((each) => each !== undefined),
    'the queue alone',
  ).toHaveLength(1)
})

it('a queue that another process works on is not shrunk', async () => {
  const { one, other, add, claim } = open(1)
  await add(0, 0, 0)
  await claim(other, 1)
  expect(await one.shrink('key')).toEqual([])
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
