import type { Transients } from '@grantkit/core/feature'
import { systemTime } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import { expendable, type Undelivered } from './delivery.ts'
import { createOutbox } from './outbox.ts'
import { KEPT_SECONDS } from './queue.ts'

/** A process whose store fails after so many reads, so a delivery that finds no end fails too. */
function open(reads = 100) {
  const clock = { now: 1_800_000_000 }
  const store = { reads, answer: 200 }
  const transients = createMemoryStore({ now: () => clock.now }).transients as Transients
  const seen = { posts: 0, events: [] as unknown[], undelivered: [] as Undelivered<string>[] }
  const kernel = {
    now: () => clock.now,
    time: systemTime,
    random: (size: number) => new Uint8Array(size),
    emit: (event: unknown) => void seen.events.push(event),
  }
  const find: Transients['find'] = async (id) => {
    if (store.reads-- <= 0) throw new Error('too many reads')
    return transients.find(id)
  }
  const outbox = createOutbox<string>(
    kernel,
    { ...transients, find },
    {
      name: 'd',
      timers: false,
      receiver: async (url) => ({ url, message: async ({ facts: body }) => ({ headers: {}, body }) }),
      post: async () => {
        seen.posts++
        return { status: store.answer, headers: {} }
      },
      undelivered: (report) => seen.undelivered.push(report),
    },
  )
  return { clock, store, seen, outbox }
}

const REPORT = { target: 'https://app.dev', facts: 'm', count: 1, attempts: 1 }

it.each<[status: number, left: number, undelivered: object[], posts: number]>([
  [200, 1000, [], 1],
  [400, 1000, [{ ...REPORT, why: 'refused', status: 400 }], 1],
  [503, 1000, [], 2],
  [503, 6, [], 2],
  [503, 5, [{ ...REPORT, why: 'attempts', status: 503 }], 1],
])(
  'a message that is answered with %d, %d seconds before it expires, is reported as %j and posted %d times',
  async (answer, left, undelivered, posts) => {
    const { clock, store, seen, outbox } = open()
    await outbox.add(REPORT.target, ['m'])
    clock.now += KEPT_SECONDS - left
    store.answer = answer
    await outbox.deliver()
    expect(seen).toEqual({ posts: 1, events: [], undelivered })
    clock.now += 5
    store.answer = 200
    await outbox.deliver()
    expect(seen).toEqual({ posts, events: [], undelivered })
  },
)

it.each<[string, number, [string | undefined, boolean][], string[]]>([
  [
    'minor ones',
    2,
    [
      ['a', false],
      ['b', true],
      ['a', true],
      ['c', true],
    ],
    ['1', '2'],
  ],
  [
    'the oldest of the subject with most',
    2,
    [
      ['a', false],
      ['b', false],
      ['b', false],
      ['b', false],
    ],
    ['1', '2'],
  ],
  [
    'no more than others have',
    4,
    [
      ['a', false],
      ['b', false],
      ['b', false],
      ['b', false],
      ['a', false],
    ],
    ['0', '1', '2', '3'],
  ],
  [
    'the oldest of equals',
    1,
    [
      ['a', false],
      ['b', false],
      [undefined, false],
    ],
    ['0'],
  ],
  [
    'those without a subject last',
    1,
    [
      [undefined, false],
      [undefined, false],
      ['b', false],
      ['b', false],
    ],
    ['2'],
  ],
])('from a full queue go first %s', (_, count, messages, gone) => {
  const all = messages.map(([subject, isMinor], index) => ({
    ...{ id: String(index), target: 't', storedAt: index, due: 0, attempts: 0 },
    facts: { subject, isMinor },
  }))
  const dropped = expendable(all, count, (facts) => facts)
  expect(dropped.map(({ id }) => id).sort()).toEqual(gone)
})

it.each([0, 1, 2])('a store that fails after %d reads of a delivery is reported', async (reads) => {
  const { store, seen, outbox } = open()
  await outbox.add(REPORT.target, ['m'])
  store.reads = reads
  await outbox.deliver()
  expect(seen.events).toEqual([{ type: 'outbox_failed', outbox: 'd', cause: new Error('too many reads') }])
})
