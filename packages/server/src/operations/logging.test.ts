import { Writable } from 'node:stream'
import type { ServerEvent } from '@grantkit/core'
import type { Hash } from '@grantkit/core/feature'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Config } from '../config/config.ts'
import { createLogger, LOG_OPTIONS, logObservers, READABLE_OPTIONS } from './logging.ts'

interface Line {
  readonly msg: string
  readonly count?: number
  readonly path?: string
  readonly reason?: string
  readonly subject?: string
}

function openLog(level = 'info') {
  const lines: Line[] = []
  const written: string[] = []
  const write = (line: string) => {
    written.push(line)
    lines.push(JSON.parse(line))
  }
  return { log: pino({ ...LOG_OPTIONS, level }, { write }), lines, written }
}

function failed(path: string, reason = 'store_unavailable'): ServerEvent {
  return { type: 'failed', path, error: 'temporarily_unavailable', reason, cause: new Error('no Redis') }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the log in an outage', () => {
  it('has a line for each provider and reason, and each endpoint that fails', () => {
    const { log, lines } = openLog()
    const onEvent = logObservers(log).onEvent
    const cause = new Error('no answer')
    for (const [provider, reason] of [
      ['google', 'unreachable'],
      ['google', 'unreachable'],
      ['google', 'email_unverified'],
      ['partner', 'unreachable'],
    ] as const)
      onEvent({ type: 'sign_in_refused', reason, issuer: 'https://idp.example', provider })
    for (const endpoint of ['crm', 'erp'])
      onEvent({ type: 'webhook_undelivered', endpoint, why: 'attempts', count: 1, cause })
    expect(lines).toMatchObject([
      { provider: 'google', reason: 'unreachable' },
      { provider: 'google', reason: 'email_unverified' },
      { provider: 'partner', reason: 'unreachable' },
      { endpoint: 'crm' },
      { endpoint: 'erp' },
    ])
  })

  it('has one line per second and reason, and the counts add up to the number of failures', async () => {
    const { log, lines } = openLog()
    const onEvent = logObservers(log).onEvent
    const onError = logObservers(log).onError
    for (let millisecond = 0; millisecond < 2500; millisecond++) {
      onEvent(failed('/api/oauth/token'))
      onEvent(failed('/api/courses', 'unexpected'))
      onError(new TypeError('no Redis'))
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(2000)
    expect(lines.length).toBe(3 * 4)
    const countOf = (matches: (line: Line) => boolean) => lines.filter(matches).map(({ count }) => count)
    for (const reason of ['store_unavailable', 'unexpected'])
      expect(countOf((line) => line.reason === reason)).toEqual([1, 999, 1000, 500])
    expect(countOf(({ msg }) => msg === 'request_failed')).toEqual([1, 999, 1000, 500])
  })

  it('logs the first failure at once, and the last one of those that it counts', async () => {
    const { log, lines } = openLog()
    const onEvent = logObservers(log).onEvent
    for (const path of ['/first', '/second', '/third']) onEvent(failed(path))
    expect(lines).toMatchObject([{ msg: 'failed', path: '/first', count: 1, err: { message: 'no Redis' } }])
    await vi.advanceTimersByTimeAsync(1000)
    expect(lines.slice(1)).toMatchObject([{ path: '/third', count: 2 }])
    await vi.advanceTimersByTimeAsync(1000)
    onEvent(failed('/fourth'))
    expect(lines.slice(2)).toMatchObject([{ path: '/fourth', count: 1 }])
  })

  it('has the stack of a bug', () => {
    const { log, lines } = openLog()
    const cause = new TypeError('rows is undefined')
    logObservers(log).onEvent({ ...failed('/api/oauth/token', 'unexpected'), cause } as ServerEvent)
    expect(lines).toMatchObject([{ err: { type: 'TypeError', stack: cause.stack } }])
  })

  it('has one line per second for the failed sign-ins of each user, and one for those of unknown users', async () => {
    const { log, lines } = openLog()
    const onEvent = logObservers(log).onEvent
    for (let attempt = 0; attempt < 100; attempt++)
      for (const subject of ['alice', 'bob', undefined])
        onEvent({ type: 'sign_in_failed', reason: 'wrong_password', subject })
    await vi.advanceTimersByTimeAsync(2000)
    const alices = lines.filter(({ subject }) => subject === 'alice')
    expect([lines.length, alices.map(({ msg, count }) => [msg, count])]).toEqual([
      6,
      [
        ['sign_in_failed', 1],
        ['sign_in_failed', 99],
      ],
    ])
  })

  it('has one line per second for the tokens that a client drops by refreshing in a loop', async () => {
    const { log, lines } = openLog()
    const onEvent = logObservers(log).onEvent
    for (const clientId of ['a', 'a', 'a', 'b'])
      onEvent({ type: 'access_token_dropped', grantId: '1', clientId })
    await vi.advanceTimersByTimeAsync(2000)
    expect(lines.map(({ count }) => count)).toEqual([1, 1, 2])
  })

  it('has every event that is not a failure', () => {
    const { log, lines } = openLog()
    const onEvent = logObservers(log).onEvent
    for (const grantId of ['1', '2', '3'])
      onEvent({ type: 'grant_revoked', grantId, clientId: 'c', subject: 'alice', by: 'user' })
    expect(lines.length).toBe(3)
  })

  it('has a signed request by its hash alone', () => {
    const { log, lines } = openLog()
    const facts = { clientId: 'c', hash: 'of-the-object' as Hash, requestObject: 'e30.e30.x' }
    logObservers(log).onEvent({ type: 'request_object_accepted', ...facts })
    expect(lines).toMatchObject([{ msg: 'request_object_accepted', hash: 'of-the-object' }])
    expect(lines[0]).not.toHaveProperty('requestObject')
  })
})

/** The events of a running installation of an app. */
const ROUTINE: readonly ServerEvent[] = [
  { type: 'code_redeemed', grantId: '1', clientId: 'c' },
  { type: 'refresh_token_rotated', grantId: '1', clientId: 'c', generation: 2 },
  { type: 'refresh_token_kept', grantId: '1', clientId: 'c', generation: 2 },
]

describe('the log of normal operation', () => {
  it('does not grow with the number of installations: uses of a grant are logged at level debug', () => {
    for (const [level, expected] of [
      ['info', 0],
      ['debug', ROUTINE.length],
    ] as const) {
      const { log, lines } = openLog(level)
      for (const event of ROUTINE) logObservers(log).onEvent(event)
      expect(lines.length, level).toBe(expected)
    }
  })

  it('has a line for a token request that was repeated', () => {
    const { log, lines } = openLog()
    logObservers(log).onEvent({ type: 'refresh_token_retried', grantId: '1', clientId: 'c', generation: 2 })
    expect(lines.map(({ msg }) => msg)).toEqual(['refresh_token_retried'])
  })
})

it('a host that wraps the output of a process gets the log in production', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  createLogger({ logLevel: 'info', mode: 'production' } as Config).info('ready')
  expect(write.mock.calls.map(([line]) => JSON.parse(String(line)).msg)).toEqual(['ready'])
})

it('a line of the log escapes terminal control characters, and parses to the same JSON', () => {
  const { log, lines, written } = openLog()
  log.info({ clientName: 'x\u001b[2J\u009b1m\u202e\n' }, 'client_registered')
  expect(written).toEqual([expect.stringMatching(/^[\x20-\x7e]*\\u009b1m\\u202e[\x20-\x7e]*\n$/)])
  expect(lines).toMatchObject([{ clientName: 'x\u001b[2J\u009b1m\u202e\n' }])
})

it('a readable line escapes them too, in a name and in a message, and keeps the lines of a stack', () => {
  const written: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  const stream = pretty({ colorize: false, destination, sync: true })
  const log = pino({ ...READABLE_OPTIONS, level: 'info' }, stream)
  const err = new Error('no \u202e\u001b[2J answer')
  log.info({ clientName: 'x\u001b[2J\u009b1m\u202e\u2028\\u\n', err }, 'client\u001b[2J\u0085\r registered')
  const text = written.join('')
  expect(text).toMatch(/^[\x20-\x7e\n]*$/)
  expect(text).toContain('client\\u001b[2J\\u0085\\r registered')
  expect(text).toContain('no \\u202e\\u001b[2J answer')
  expect(text).toMatch(/clientName: "x.*u001b\[2J.*u009b1m.*u202e.*u2028/)
  expect(text).toMatch(/\n +at .*logging\.test\.ts/)
})
