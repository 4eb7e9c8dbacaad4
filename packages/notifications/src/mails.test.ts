import type { Time } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import { createMails, type MailOptions } from './mails.ts'

const START = 1_800_000_000
const HOUR = 60 * 60

/** Processes that share a store and a mail server, and a clock that the test turns. */
function open() {
  const clock = { now: START }
  const now = () => clock.now
  const store = createMemoryStore({ now })
  const sent: string[] = []
  const lost: unknown[] = []
  const server = { take: async (_: string): Promise<void> => {} }
  const deadlines: (() => void)[] = []
  /** Deadlines pass when the test says so. */
  const time: Time = {
    after(_, work) {
      deadlines.push(work)
      return () => {}
    },
    sleep: async () => {},
  }
  const process = (more: Partial<MailOptions<string>> = {}) =>
    createMails<string>({
      ...{ store, now, time, timers: false },
      async send(facts) {
        await server.take(facts)
        sent.push(facts)
      },
      undelivered: (report) => lost.push(report),
      ...more,
    })
  return { clock, sent, lost, server, deadlines, process }
}

it('is sent once', async () => {
  const { sent, process } = open()
  const mails = process()
  await mails.add('a new passkey')
  expect(sent).toEqual([])
  await mails.deliver()
  await mails.deliver()
  expect(sent).toEqual(['a new passkey'])
})

it('is sent by another process if its own has ended', async () => {
  const { sent, process } = open()
  await process().add('a new passkey')
  await process().deliver()
  expect(sent).toEqual(['a new passkey'])
})

it('is sent when the mail server is back', async () => {
  const { clock, sent, lost, server, process } = open()
  const mails = process()
  const { take } = server
  server.take = () => Promise.reject(new Error('down'))
  await mails.add('a new passkey')
  await mails.deliver()
  clock.now += HOUR
  await mails.deliver()
  expect(sent).toEqual([])
  server.take = take
  clock.now += HOUR
  await mails.deliver()
  expect([sent, lost]).toEqual([['a new passkey'], []])
})

it('is given up after eight times, and that is reported', async () => {
  const { clock, lost, server, process } = open()
  const mails = process()
  let tries = 0
  server.take = async () => {
    tries++
    throw new Error('down')
  }
  await mails.add('a new passkey')
  for (let hour = 0; hour < 31; hour++) {
    for (let turn = 0; turn < 4; turn++) {
      await mails.deliver()
      clock.now += HOUR / 4
    }
  }
  expect(tries).toBeLessThanOrEqual(8)
  expect(lost).toEqual([{ why: expect.stringMatching(/^(attempts|expired)$/), count: 1 }])
})

it('is not sent again if the mail server took longer than an attempt', async () => {
  const { clock, sent, server, deadlines, process } = open()
  const mails = process()
  const taken = Promise.withResolvers<void>()
  let tries = 0
  server.take = () => {
    tries++
    return taken.promise
  }
  await mails.add('a new passkey')
  const slow = mails.deliver()
  await expect.poll(() => tries).toBe(1)
  for (const pass of deadlines) pass()
  await slow
  taken.resolve()
  clock.now += HOUR
  await mails.deliver()
  expect([tries, sent]).toEqual([1, ['a new passkey']])
})
