import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../http/http.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { strongRandom } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import { systemTime } from '../../kernel/time.ts'
import {
  admitWithToken,
  type InitialAccessTokenOptions,
  initialAccessTokens,
} from './initial-access-tokens.ts'

const NOW = 1_800_000_000
const DAY = 24 * 60 * 60
const SCOPES = { read: { description: 'Read' }, write: { description: 'Write' } }

/** A server with a store whose methods a test may replace. */
function open() {
  const clock = { now: NOW }
  const transients = { ...(createMemoryStore({ now: () => clock.now }).transients as Transients) }
  const events: object[] = []
  const emit = (event: object) => void events.push(event)
  const time = { ...systemTime, sleep: async () => {} }
  const kernel = {
    ...{ store: { transients }, scopes: SCOPES, now: () => clock.now, time, random: strongRandom, emit },
  } as unknown as Kernel
  const tokens = initialAccessTokens(kernel)
  const add = (options: Partial<InitialAccessTokenOptions> = {}) =>
    tokens.addInitialAccessToken({ label: 'Partners', ...options })
  const find = tokens.findInitialAccessToken
  const present = (token: string) =>
    admitWithToken(kernel)({ headers: { authorization: `Bearer ${token}` } } as unknown as HttpRequest)
  return { clock, transients, events, tokens, add, find, present }
}

const invalid = expect.objectContaining({ reason: 'initial_access_token_invalid' })

describe('a new initial access token', () => {
  it.each<[string, Partial<InitialAccessTokenOptions>, string]>([
    ['no label', { label: ' ' }, 'label: must be 1 to 60 characters'],
    ['a long label', { label: 'x'.repeat(61) }, 'label: must be 1 to 60 characters'],
    ['no use', { uses: 0 }, 'uses: must be a whole number from 1 to 10000'],
    ['half a use', { uses: 1.5 }, 'uses: must be a whole number from 1 to 10000'],
    ['too many uses', { uses: 10_001 }, 'uses: must be a whole number from 1 to 10000'],
    [
      'an end in the past',
      { expiresIn: -1 },
      'expiresIn: must be a whole number of seconds, at most 366 days',
    ],
    [
      'an end in years',
      { expiresIn: 366 * DAY + 1 },
      'expiresIn: must be a whole number of seconds, at most 366 days',
    ],
    ['an unknown scope', { scopes: ['read', 'no:such'] }, 'scopes: must be scopes of this server'],
    ['no scope at all', { scopes: [] }, 'scopes: must be scopes of this server'],
  ])('is refused with %s, by an error that names the option', async (_, options, message) => {
    const { add, events } = open()
    await expect(add(options)).rejects.toMatchObject({ status: 400, message })
    expect(events).toEqual([])
  })

  it('may have a label of 60 characters, 10,000 uses and 366 days', async () => {
    const { add, find } = open()
    const most = { label: 'x'.repeat(60), uses: 10_000, expiresIn: 366 * DAY }
    const { id } = await add(most)
    expect(await find(id)).toMatchObject({ label: most.label, uses: 10_000, expiresAt: NOW + 366 * DAY })
  })

  it('is announced by an event that names it and does not have its text', async () => {
    const { add, events } = open()
    const { id, expiresAt } = await add()
    const event = { type: 'initial_access_token_added', id, label: 'Partners', uses: 1, expiresAt }
    expect(events).toEqual([event])
    expect(expiresAt).toBe(NOW + DAY)
  })

  it('is a fault of the program if its id exists, and no event', async () => {
    const { add, events, transients } = open()
    transients.insert = async () => false
    await expect(add()).rejects.toThrow('the source of randomness repeats itself')
    expect(events).toEqual([])
  })
})

it('the removal of an initial access token is an event, once', async () => {
  const { add, find, events, tokens } = open()
  const { id } = await add()
  events.length = 0
  expect([await tokens.removeInitialAccessToken(id), await tokens.removeInitialAccessToken(id)]).toEqual([
    true,
    false,
  ])
  expect(events).toEqual([{ type: 'initial_access_token_removed', id }])
  expect(await find(id)).toBeUndefined()
})

describe('an initial access token that is found', () => {
  it('has the uses that are left, and neither its text nor a hash', async () => {
    const { add, find, present } = open()
    const { id, token, expiresAt } = await add({ uses: 3, scopes: ['read'] })
    await (await present(token)).beforeInsert()
    expect(await find(id)).toEqual({ id, label: 'Partners', uses: 2, scopes: ['read'], expiresAt })
  })

  it('has not ended', async () => {
    const { add, find, clock } = open()
    const { id } = await add()
    clock.now += DAY
    expect([await find(id), await find('never-added')]).toEqual([undefined, undefined])
  })
})

describe('an initial access token that a client presents', () => {
  it('is refused without a look at the store if it is malformed', async () => {
    const { present, transients } = open()
    transients.find = () => Promise.reject(new Error('The store was read'))
    await expect(present('gki_short')).rejects.toThrow(invalid)
  })

  it('is no record of another kind, also under its id', async () => {
    const { add, find, present, transients } = open()
    const { id, token } = await add()
    const stored = transients.find
    transients.find = async (key) => {
      const seen = await stored(key)
      return seen && { ...seen, value: { ...seen.value, kind: 'other' } }
    }
    await expect(present(token)).rejects.toThrow(invalid)
    expect(await find(id)).toBeUndefined()
  })

  it('is counted in one of sixteen attempts, or not at all', async () => {
    const { add, find, present, transients } = open()
    const { id, token } = await add()
    const presented = await present(token)
    const { replace } = transients
    let lost = 0
    transients.replace = async (...written) => lost++ >= 16 && replace(...written)
    await expect(presented.beforeInsert()).rejects.toMatchObject({ status: 503, reason: 'contention' })
    expect(await find(id)).toMatchObject({ uses: 1 })
    lost = 1
    await presented.beforeInsert()
    expect(await find(id)).toMatchObject({ uses: 0 })
  })
})
