import type { Store } from '@grantkit/core'
import type { Transients } from '@grantkit/core/feature'
import { type MessagePostResponse, strongRandom, systemTime } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { OutboxOptions, Undelivered } from './delivery.ts'
import { createOutbox } from './outbox.ts'
import { KEPT_SECONDS } from './queue.ts'

const START = 1_800_000_000
const OK: MessagePostResponse = { status: 200, headers: {} }

/** Receivers, which answer as `answer` says, and processes that share a store. */
function open(options: Partial<OutboxOptions<string>> = {}) {
  const clock = { now: START }
  const now = () => clock.now
  const store: Store = createMemoryStore({ now })
  const transients = store.transients as Transients
  const posts: string[] = []
  const undelivered: Undelivered<string>[] = []
  const events: { type: string }[] = []
  const receivers = { answer: async (_: string): Promise<MessagePostResponse> => OK }
  const kernel = {
    now,
    time: systemTime,
    random: strongRandom,
    emit: (event: { type: string }) => void events.push(event),
  }
  const process = (more: Partial<OutboxOptions<string>> = {}) =>
    createOutbox<string>(kernel, transients, {
      name: 'messages',
      timers: false,
      receiver: async (target) => ({
        url: `https://${target}/`,
        message: async ({ facts }) => ({ headers: {}, body: facts }),
      }),
      post: async (url, { body }) => {
        posts.push(`${new URL(url).host} ${body}`)
        return receivers.answer(new URL(url).host)
      },
      undelivered: (report) => undelivered.push(report),
      ...options,
      ...more,
    })
  return { clock, transients, posts, undelivered, events, receivers, process }
}

describe('a message', () => {
  it('is delivered once', async () => {
    const { posts, process } = open()
    const outbox = process()
    await outbox.add('app.dev', ['one', 'two'])
    await outbox.deliver()
    await outbox.deliver()
    expect(posts.sort()).toEqual(['app.dev one', 'app.dev two'])
  })

  it('is tried at 0, 5, 30 s, 2, 10 min, 1, 6 and 24 h, and then it is reported', async () => {
    const { posts, process, clock, receivers, undelivered } = open()
    receivers.answer = async () => ({ status: 503, headers: {} })
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    const times: number[] = []
    for (let at = 0, seen = 0; at <= 27 * 3600; at += at < 700 ? 1 : 30) {
      clock.now = START + at
      await outbox.deliver()
      if (posts.length > seen) times.push(at)
      seen = posts.length
    }
    expect(times).toHaveLength(8)
    for (const [index, expected] of [0, 5, 30, 120, 600, 3600, 21_600, 86_400].entries()) {
      expect(times[index]).toBeGreaterThanOrEqual(expected)
      expect(times[index], 'with a tenth of jitter').toBeLessThanOrEqual(expected * 1.1 + 40)
    }
    expect(undelivered).toMatchObject([
      { target: 'app.dev', why: 'attempts', facts: 'm', attempts: 8, status: 503 },
    ])
  })

  it.each([400, 401, 404, 410, 301, 307])('is not repeated after %d', async (status) => {
    const { posts, process, clock, receivers, undelivered } = open()
    receivers.answer = async () => ({ status, headers: {} })
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    await outbox.deliver()
    clock.now += 3600
    await outbox.deliver()
    expect([posts.length, undelivered]).toMatchObject([1, [{ why: 'refused', status, attempts: 1 }]])
  })

  it.each([408, 429, 500, 502, 503])('is repeated after %d', async (status) => {
    const { posts, process, clock, receivers } = open()
    receivers.answer = async () => (posts.length > 1 ? OK : { status, headers: {} })
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    await outbox.deliver()
    clock.now += 10
    await outbox.deliver()
    expect(posts).toHaveLength(2)
  })

  it.each([
    ['120', 119, 121],
    [new Date(1000 * (START + 120)).toUTCString(), 119, 121],
    ['999999', 3599, 3601],
  ])('waits as the receiver asks, an hour at most: %s', async (header, early, late) => {
    const { posts, process, clock, receivers } = open()
    receivers.answer = async () =>
      posts.length > 1 ? OK : { status: 429, headers: { 'retry-after': header } }
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    await outbox.deliver()
    clock.now = START + early
    await outbox.deliver()
    expect(posts).toHaveLength(1)
    clock.now = START + late
    await outbox.deliver()
    expect(posts).toHaveLength(2)
  })

  it('is dropped if its receiver wants it no more', async () => {
    const { posts, process, undelivered } = open({ receiver: async () => 'gone' })
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    await outbox.deliver()
    expect([posts, undelivered]).toEqual([[], []])
  })

  it('is tried again if there is no answer within five seconds', async () => {
    vi.useFakeTimers()
    const signals: AbortSignal[] = []
    const { process, undelivered, clock } = open({
      post(_, { signal }) {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    for (const later of [KEPT_SECONDS - 1, 0]) {
      const delivered = outbox.deliver()
      await vi.advanceTimersByTimeAsync(4999)
      expect(signals.at(-1)).toMatchObject({ aborted: false })
      await vi.advanceTimersByTimeAsync(1)
      await delivered
      expect(signals.at(-1)).toMatchObject({ aborted: true, reason: { code: 'timeout' } })
      clock.now += later
    }
    const report = { target: 'app.dev', why: 'attempts', facts: 'm', count: 1, attempts: 2, fault: 'timeout' }
    expect(undelivered).toEqual([report])
    vi.useRealTimers()
  })

  it('lies in the store without a token: only its ids', async () => {
    const { process, transients } = open()
    const insert = vi.spyOn(transients, 'insert')
    const message = async () => ({ headers: {}, body: 'secret' })
    await process({ receiver: async () => ({ url: 'https://app.dev/', message }) }).add('app.dev', ['id'])
    expect(JSON.stringify(insert.mock.calls)).toContain('"id"')
    expect(JSON.stringify(insert.mock.calls)).not.toContain('secret')
  })
})

describe('at least once:', () => {
  it('what a process left is delivered by the next one', async () => {
    const { posts, process } = open()
    await process().add('app.dev', ['m'])
    await process().deliver()
    expect(posts).toEqual(['app.dev m'])
  })

  it('what a process had begun when it ended is delivered after its lease', async () => {
    const { posts, process, clock, receivers } = open()
    const dead = process()
    receivers.answer = () => new Promise(() => {})
    await dead.add('app.dev', ['m'])
    void dead.deliver()
    await expect.poll(() => posts).toHaveLength(1)
    receivers.answer = async () => OK
    await process().deliver()
    expect(posts, 'another process has it').toHaveLength(1)
    clock.now += 61
    await process().deliver()
    expect(posts).toHaveLength(2)
  })

  it('processes at work on one store deliver each message, and hardly one twice', async () => {
    const { posts, process, receivers } = open()
    // Later than what the others do with a store in memory meanwhile.
    receivers.answer = () => new Promise((resolve) => setImmediate(resolve, OK))
    const processes = [process(), process(), process()]
    const messages = Array.from({ length: 300 }, (_, index) => `m${index}`)
    await Promise.all(
      messages.map(async (message, index) => {
        const own = processes[index % 3]
        await own?.add(`app${index % 7}.dev`, [message])
        if (index % 10 === 0) await own?.deliver()
      }),
    )
    for (const each of processes) await each.deliver()
    expect(new Set(posts).size).toBe(300)
    expect(posts).toHaveLength(300)
  })

  it('a queue that has become empty takes messages again, whoever removes its name meanwhile', async () => {
    const { posts, process } = open()
    const [one, other] = [process(), process()]
    for (let round = 0; round < 50; round++)
      await Promise.all([
        one.add('app.dev', [`a${round}`]),
        other.deliver(),
        other.add('app.dev', [`b${round}`]),
        one.deliver(),
      ])
    await one.deliver()
    expect(new Set(posts).size).toBe(100)
  })

  it('a process that comes back after its lease does not disturb the one that has taken over', async () => {
    const { posts, process, clock, receivers } = open()
    const answers: ((answer: MessagePostResponse) => void)[] = []
    receivers.answer = () => new Promise((resolve) => answers.push(resolve))
    const [late, next] = [process(), process()]
    await late.add('app.dev', ['m'])
    const delivered = late.deliver()
    await expect.poll(() => posts).toHaveLength(1)
    clock.now += 61
    void next.deliver()
    await expect.poll(() => posts).toHaveLength(2)
    answers[0]?.({ status: 503, headers: {} })
    await delivered
    clock.now += 30
    await process().deliver()
    expect(posts).toHaveLength(2)
  })

  /** Does something once, before the write that closes a queue or that removes the names. */
  function before(transients: Transients, write: string, act: () => Promise<unknown>) {
    const { replace } = transients
    Object.assign(transients, {
      async replace(...args: Parameters<Transients['replace']>) {
        const { kind, closed, target, keys } = args[2] as unknown as Record<string, unknown>
        const closes = kind === 'outbox-queue' && closed === true
        const writes = {
          'closes the inbox': closes && target === undefined,
          'closes the queue': closes && target === 'app.dev',
          'removes the names': kind === 'outbox' && (keys as string[]).length === 0,
        }
        if (writes[write as keyof typeof writes]) {
          Object.assign(transients, { replace })
          await act()
        }
        return replace.apply(transients, args)
      },
    })
  }

  it.each(['closes the inbox', 'closes the queue', 'removes the names'] as const)(
    'a message that comes as a process %s, which nobody used for two minutes',
    async (write) => {
      const { posts, process, transients, clock } = open()
      const one = process()
      await one.add('app.dev', ['m'])
      await one.deliver()
      clock.now += 119
      await process().deliver()
      clock.now += 1
      before(transients, write, async () => {
        await one.add('app.dev', ['late'])
        if (write === 'closes the queue') await one.deliver()
      })
      await process().deliver()
      await process().deliver()
      expect(posts).toEqual(['app.dev m', 'app.dev late'])
    },
  )

  it('a message that comes as a process removes the name of an inbox whose record is gone', async () => {
    const { posts, process, transients } = open()
    const one = process()
    const insert = vi.spyOn(transients, 'insert')
    await one.add('app.dev', ['m'])
    await transients.remove(insert.mock.calls[0]?.[0] as string)
    before(transients, 'removes the names', () => one.add('app.dev', ['late']))
    await process().deliver()
    await process().deliver()
    expect(posts).toEqual(['app.dev late'])
  })

  it('a queue with messages has its name already, so another message does not write the directory', async () => {
    const { process, transients } = open()
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    const replace = vi.spyOn(transients, 'replace')
    for (const message of ['n', 'o']) await outbox.add('app.dev', [message])
    const written = replace.mock.calls.map(([id]) => id)
    expect(written).toHaveLength(2)
    expect(written).not.toContain('messages')
  })

  it('a queue that cannot be written holds up no other, and its messages come later', async () => {
    const { posts, process, transients, clock, events, undelivered } = open()
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    await outbox.add('bad.dev', ['n'])
    const { insert } = transients
    const cause = new Error('too large')
    const isBad = (value: object) => 'target' in value && value.target === 'bad.dev'
    transients.insert = async (id, value, ends) => {
      if (isBad(value)) throw cause
      return insert.call(transients, id, value, ends)
    }
    for (let time = 0; time < 3; time++) {
      await outbox.deliver()
      clock.now += 61
    }
    expect(posts).toEqual(['app.dev m'])
    expect(events).toEqual(Array(3).fill({ type: 'outbox_failed', outbox: 'messages', cause }))
    transients.insert = insert
    await outbox.deliver()
    expect([posts, undelivered]).toEqual([['app.dev m', 'bad.dev n'], []])
  })

  it('a queue that cannot be read holds up no other', async () => {
    const { posts, process, transients, events } = open()
    const insert = vi.spyOn(transients, 'insert')
    await process().add('bad.dev', ['n'])
    const [bad] = insert.mock.calls[0] ?? []
    await process().add('app.dev', ['m'])
    const { find } = transients
    const cause = new Error('cannot be read')
    transients.find = async (id) => {
      if (id === bad) throw cause
      return find.call(transients, id)
    }
    await process().deliver()
    expect(posts).toEqual(['app.dev m'])
    expect(events).toEqual([{ type: 'outbox_failed', outbox: 'messages', cause }])
    transients.find = find
    await process().deliver()
    expect(posts).toEqual(['app.dev m', 'bad.dev n'])
  })

  it('an answer of the store that was lost does not lose the message', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { posts, process, transients } = open({ timers: true })
    const { insert } = transients
    transients.insert = async (...args) => {
      await insert.apply(transients, args)
      throw new Error('no answer')
    }
    const outbox = process()
    await expect(outbox.add('app.dev', ['m'])).rejects.toThrow('no answer')
    transients.insert = insert
    await vi.advanceTimersByTimeAsync(1)
    expect(posts).toEqual(['app.dev m'])
  })

  it('a message is held until its seconds are over, however long each attempt takes', async () => {
    const { process, transients, clock } = open({ heldSeconds: 60 })
    vi.spyOn(systemTime, 'sleep').mockImplementation(async () => {
      clock.now += 2
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const find = vi.spyOn(transients, 'find').mockImplementation(async () => {
      clock.now += 18
      throw new Error('down')
    })
    await expect(process().add('app.dev', ['m'])).rejects.toThrow('down')
    expect(find).toHaveBeenCalledTimes(4)
  })

  it('a thousand messages are held, and keep their places while others come', async () => {
    const { process, transients, posts } = open({ heldSeconds: 60 })
    onTestFinished(() => void vi.restoreAllMocks())
    const sleeping: (() => void)[] = []
    vi.spyOn(systemTime, 'sleep').mockImplementation(() => new Promise((wake) => sleeping.push(wake)))
    const find = vi.spyOn(transients, 'find').mockRejectedValue(new Error('down'))
    const outbox = process()
    const first = Promise.all(Array.from({ length: 1000 }, () => outbox.add('app.dev', ['m'])))
    await expect.poll(() => sleeping).toHaveLength(1000)
    const late = outbox.add('app.dev', ['late'])
    for (const wake of sleeping.splice(0)) wake()
    await expect(late).rejects.toThrow('down')
    await expect.poll(() => sleeping).toHaveLength(1000)
    find.mockRestore()
    for (const wake of sleeping) wake()
    await first
    await outbox.deliver()
    expect(posts).toHaveLength(1000)
  })

  it('a message that the same process adds during a run gets another run', async () => {
    const { posts, process, receivers } = open()
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    let second: Promise<void> | undefined
    receivers.answer = async () => {
      receivers.answer = async () => OK
      await outbox.add('app.dev', ['late'])
      second = outbox.deliver()
      return OK
    }
    await outbox.deliver()
    await second
    expect(posts).toEqual(['app.dev m', 'app.dev late'])
  })

  it('a message is found until it expires, however long others waited before it', async () => {
    const { posts, process, clock } = open()
    const outbox = process()
    for (const [message, wait] of [
      ['first', KEPT_SECONDS - 1],
      ['second', 2],
      ['third', KEPT_SECONDS - 1],
    ] as const) {
      await outbox.add('app.dev', [message])
      clock.now += wait
    }
    await process().deliver()
    expect(posts).toContain('app.dev third')
  })

  it('a message that nobody tried for 30 hours is reported, and not delivered', async () => {
    const { posts, process, clock, undelivered } = open()
    await process().add('app.dev', ['m'])
    clock.now += KEPT_SECONDS
    await process().deliver()
    const report = { target: 'app.dev', why: 'expired', facts: 'm', count: 1, attempts: 0 }
    expect([posts, undelivered]).toEqual([[], [report]])
  })

  it('a message that cannot be made was not tried, and the cause is told', async () => {
    const { posts, process, clock, events, undelivered } = open()
    const cause = new Error('no key')
    const [broken, whole] = [
      process({ receiver: async () => ({ url: 'https://app.dev/', message }) }),
      process(),
    ]
    async function message(): Promise<never> {
      throw cause
    }
    await broken.add('app.dev', ['m'])
    for (let time = 0; time < 20; time++) {
      await broken.deliver()
      clock.now += 60
    }
    expect(events[0]).toEqual({ type: 'outbox_failed', outbox: 'messages', cause })
    await whole.deliver()
    expect([posts, undelivered]).toEqual([['app.dev m'], []])
  })
})

describe('a receiver', () => {
  it('that answers slowly holds up no other, nor who adds messages', async () => {
    const { posts, process, receivers } = open()
    let release = () => {}
    const slow = new Promise<MessagePostResponse>((resolve) => {
      release = () => resolve(OK)
    })
    receivers.answer = (host) => (host === 'slow.dev' ? slow : Promise.resolve(OK))
    const outbox = process()
    await outbox.add('slow.dev', ['m'])
    void outbox.deliver()
    await expect.poll(() => posts).toEqual(['slow.dev m'])
    await outbox.add('slow.dev', ['n'])
    await outbox.add('fast.dev', ['m'])
    const delivered = outbox.deliver()
    await expect.poll(() => posts).toContain('fast.dev m')
    release()
    await delivered
    expect(posts).toContain('slow.dev n')
  })

  it('gets four messages at once at most', async () => {
    const { process, receivers } = open()
    let [open4, most] = [0, 0]
    receivers.answer = async () => {
      most = Math.max(most, ++open4)
      await new Promise(setImmediate)
      open4--
      return OK
    }
    const outbox = process()
    await outbox.add(
      'app.dev',
      Array.from({ length: 20 }, (_, index) => `m${index}`),
    )
    await outbox.deliver()
    expect(most).toBe(4)
  })

  it('leaves the places of its host that it does not need to others', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const opened = open({
      receiver: async (target) => ({
        url: `https://host.dev/${target}`,
        message: async ({ facts }) => ({ headers: {}, body: facts }),
      }),
    })
    opened.receivers.answer = () => new Promise(() => {})
    const outbox = opened.process()
    for (const target of ['a', 'b', 'c']) await outbox.add(target, [target, target])
    void outbox.deliver()
    await vi.advanceTimersByTimeAsync(1)
    expect(opened.posts).toHaveLength(4)
  })

  it('that is down for long keeps the latest messages, and the oldest are counted and reported', async () => {
    const { process, receivers, undelivered, posts, clock } = open({ maxWaiting: 100 })
    const outbox = process()
    for (let index = 0; index < 200; index++) {
      clock.now++
      await outbox.add('app.dev', [`m${index}`])
    }
    receivers.answer = async () => OK
    await outbox.deliver()
    const dropped = undelivered.reduce((sum, { count }) => sum + count, 0)
    expect(undelivered.every(({ why }) => why === 'overflow')).toBe(true)
    expect(dropped + posts.length).toBe(200)
    expect(posts.length).toBeLessThanOrEqual(100)
    expect(posts).toContain('app.dev m199')
    expect(posts).not.toContain('app.dev m0')
  })

  it('gets each of many messages again after a failure, those that are due', async () => {
    const { process, receivers, posts, clock, undelivered } = open()
    const outbox = process()
    receivers.answer = async () => ({ status: 503, headers: {} })
    const messages = Array.from({ length: 100 }, (_, index) => `m${index}`)
    await outbox.add('app.dev', messages)
    await outbox.deliver()
    receivers.answer = async () => OK
    await outbox.add('app.dev', ['new'])
    await outbox.deliver()
    expect(posts).toHaveLength(101)
    clock.now += 10
    await outbox.deliver()
    expect(posts.slice(101).sort()).toEqual(messages.map((message) => `app.dev ${message}`).sort())
    expect(undelivered).toEqual([])
  })

  it('that two thousand queues leave no name for is reported, and gets what one attempt delivers', async () => {
    const { process, transients, undelivered, posts } = open({ timers: true })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const keys = Array.from({ length: 2000 }, (_, index) => `queue${index}`)
    await transients.insert(
      'messages',
      { kind: 'outbox', expiresAt: START + 1e6, keys } as never,
      START + 1e6,
    )
    await process().add('late.dev', ['m', 'n'])
    const report = { target: 'late.dev', why: 'overflow', facts: 'm', count: 2 }
    expect(undelivered).toEqual([report])
    await vi.advanceTimersByTimeAsync(1)
    expect(undelivered).toEqual([report, report])
    expect(posts.sort()).toEqual(['late.dev m', 'late.dev n'])
  })

  it('gets nothing while others always write first: who adds a message learns it', async () => {
    vi.spyOn(systemTime, 'sleep').mockResolvedValue()
    onTestFinished(() => void vi.restoreAllMocks())
    const { process, transients } = open()
    const outbox = process()
    await outbox.add('app.dev', ['m'])
    Object.assign(transients, { replace: async () => false })
    await expect(outbox.add('app.dev', ['n'])).rejects.toMatchObject({ status: 503 })
  })

  it('with ten thousand waiting messages has small records', async () => {
    const { process, transients } = open()
    const outbox = process()
    let largest = 0
    const measured = (method: 'insert' | 'replace') => {
      const original = transients[method] as (...args: unknown[]) => Promise<boolean>
      Object.assign(transients, {
        [method]: (...args: unknown[]) => {
          largest = Math.max(largest, JSON.stringify(args.at(-2)).length)
          return original.apply(transients, args)
        },
      })
    }
    measured('insert')
    measured('replace')
    for (let index = 0; index < 1000; index++)
      await outbox.add(
        'app.dev',
        Array.from({ length: 10 }, (_, more) => `${index} ${more}`),
      )
    expect(largest).toBeLessThan(40_000)
  })
})

describe('the timers', () => {
  it('deliver what was added, without a call, and who adds it does not wait', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { posts, process, receivers } = open()
    receivers.answer = () => new Promise(() => {})
    await process({ timers: undefined }).add('app.dev', ['m'])
    expect(posts).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(posts).toEqual(['app.dev m'])
  })

  it('deliver a second after the start what another process left, and then wait for a minute', async () => {
    vi.useFakeTimers()
    const { posts, process } = open()
    await process().add('app.dev', ['m'])
    const after = vi.spyOn(systemTime, 'after')
    process({ timers: true })
    await vi.advanceTimersByTimeAsync(1100)
    expect(posts).toEqual(['app.dev m'])
    const deadline = 5000
    expect(after.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([1000, 60_000, deadline])
    after.mockRestore()
    vi.useRealTimers()
  })

  it('try again when a message is due', async () => {
    vi.useFakeTimers()
    const { posts, process, clock, receivers } = open()
    receivers.answer = async () => ({ status: 503, headers: {} })
    await process({ timers: true }).add('app.dev', ['m'])
    for (const seconds of [0, 3, 3]) {
      expect(posts).toHaveLength(seconds === 0 ? 0 : 1)
      clock.now += seconds
      await vi.advanceTimersByTimeAsync(1000 * seconds)
    }
    expect(posts).toHaveLength(2)
    vi.useRealTimers()
  })

  it('follow the schedule, also beyond the next look', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { posts, process, clock, receivers, undelivered } = open()
    receivers.answer = async () => ({ status: 503, headers: {} })
    await process({ timers: true }).add('app.dev', ['m'])
    const times: number[] = []
    for (let at = 0; at < 4400; at++) {
      if (posts.length > times.length) times.push(at)
      clock.now++
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(undelivered).toEqual([])
    expect(times).toHaveLength(6)
    for (const [index, due] of [0, 5, 30, 120, 600, 3600].entries()) {
      expect(times[index]).toBeGreaterThanOrEqual(due)
      expect(times[index]).toBeLessThanOrEqual(due * 1.1 + 5)
    }
  })

  it('are two at most while the store is away: the next look and one retry', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { process, transients, clock } = open()
    const find = vi.spyOn(transients, 'find').mockRejectedValue(new Error('down'))
    process({ timers: true })
    for (let minute = 0; minute < 20; minute++) {
      clock.now += 60
      await vi.advanceTimersByTimeAsync(60_000)
    }
    expect(vi.getTimerCount()).toBeLessThanOrEqual(2)
    expect(find.mock.calls.length, 'a read each half minute, and each minute').toBeLessThanOrEqual(60)
  })

  it('look once at a time, also at a store that does not answer', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { process, transients } = open()
    const find = vi.spyOn(transients, 'find').mockReturnValue(new Promise(() => {}))
    process({ timers: true })
    await vi.advanceTimersByTimeAsync(300_000)
    expect(find).toHaveBeenCalledTimes(1)
  })

  it('end with a signal: another process delivers what was added', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { posts, process, transients } = open()
    const ending = new AbortController()
    const outbox = process({ timers: ending.signal })
    await vi.advanceTimersByTimeAsync(1000)
    await outbox.add('app.dev', ['m'])
    const find = vi.spyOn(transients, 'find').mockRejectedValue(new Error('down'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(vi.getTimerCount(), 'the next look, a retry and the alarm').toBe(3)
    find.mockRestore()
    ending.abort()
    await outbox.add('app.dev', ['n'])
    const reads = vi.spyOn(transients, 'find')
    await vi.advanceTimersByTimeAsync(300_000)
    expect([posts, reads.mock.calls, vi.getTimerCount()]).toEqual([[], [], 0])
    process({ timers: true })
    await vi.advanceTimersByTimeAsync(1100)
    expect(posts.sort()).toEqual(['app.dev m', 'app.dev n'])
  })

  it('go on after the store has failed', async () => {
    vi.useFakeTimers()
    const { posts, process, transients, events } = open()
    await process().add('app.dev', ['m'])
    const { find } = transients
    Object.assign(transients, { find: () => Promise.reject(new Error('down')) })
    process({ timers: true })
    await vi.advanceTimersByTimeAsync(1050)
    expect(events).toMatchObject([{ type: 'outbox_failed', outbox: 'messages' }])
    Object.assign(transients, { find })
    await vi.advanceTimersByTimeAsync(31_000)
    expect(posts).toEqual(['app.dev m'])
    vi.useRealTimers()
  })
})
