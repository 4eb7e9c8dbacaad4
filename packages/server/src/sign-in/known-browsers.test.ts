import { expect, it, onTestFinished, vi } from 'vitest'
import { DANA, THEO } from '../../test/people.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { knownBrowsers } from './known-browsers.ts'

const SECRET = 'a secret of the tests, long enough'
const DAY = 24 * 60 * 60
const storedOf = (account: typeof DANA, sessionEpoch = 7): StoredAccount => ({
  ...{ ...account, sessionEpoch, emailSource: 'operator' },
})

function open({ baseUrl = 'https://server.example', secret = SECRET as string | [string, string] } = {}) {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  const people = new Map([DANA, THEO].map((person) => [person.id, storedOf(person)]))
  let reads = 0
  const accounts = {
    async idOf(email: string) {
      reads++
      return [...people.values()].find((person) => person.email === email.toLowerCase())?.id
    },
    find: async (id: string) => people.get(id),
  }
  const browsers = knownBrowsers({ secret, baseUrl, accounts })
  const lines = (account = storedOf(DANA), before = '') => browsers.remember(account, before)
  const remember = (account = storedOf(DANA), before = '') =>
    lines(account, before)
      .map((line) => line.split(';')[0])
      .join('; ')
  return { people, browsers, lines, remember, reads: () => reads, knows: browsers.idOf }
}

it('are known to the account that signed in, by any way to write its address, and to no other', async () => {
  const { remember, knows } = open()
  const cookies = remember()
  const id = await knows('demo@example.com', cookies)
  expect(id).toMatch(/^[\w-]{36}$/)
  expect(await knows('Demo@Example.com', `${cookies}; x=y`)).toBe(id)
  expect(await knows('teacher@example.com', cookies)).toBeUndefined()
  expect(await knows('nobody@example.com', cookies)).toBeUndefined()
  expect(await knows('demo@example.com', undefined)).toBeUndefined()
})

it('have another id after each sign-in, so that a copied cookie has a limit of its own', async () => {
  const { remember, knows } = open()
  const [first, second] = [remember(), remember()]
  expect(await knows('demo@example.com', first)).not.toBe(await knows('demo@example.com', second))
})

it('are known to several accounts', async () => {
  const { remember, knows } = open()
  const cookies = [remember(storedOf(DANA)), remember(storedOf(THEO))].join('; ')
  expect(await knows('demo@example.com', cookies)).toMatch(/./)
  expect(await knows('teacher@example.com', cookies)).toMatch(/./)
})

it('forget the oldest account for a sixth', async () => {
  const { browsers, lines } = open()
  let jar: string[] = []
  for (let n = 0; n < 6; n++) {
    const set = browsers.remember({ ...storedOf(DANA), id: `account-${n}` }, jar.join('; '))
    const pairs = set.map((line) => line.split(';')[0] ?? '')
    const gone = pairs.filter((pair) => pair.endsWith('=')).map((pair) => pair.slice(0, -1))
    jar = [...jar, ...pairs].filter((pair) => !gone.includes(pair.split('=')[0] ?? ''))
    vi.setSystemTime(Date.now() + 1000)
  }
  expect(jar).toHaveLength(5)
  expect(lines(), 'beside the cookies of nobody').toHaveLength(1)
})

it.each([
  ['is disabled', { person: undefined }],
  ['has a new password, or was signed out everywhere', { person: storedOf(DANA, 8) }],
])('are known no more when the account %s', async (_, { person }) => {
  const { people, remember, knows } = open()
  const cookies = remember()
  people.delete(DANA.id)
  if (person !== undefined) people.set(DANA.id, person)
  expect(await knows('demo@example.com', cookies)).toBeUndefined()
})

it('are known for 180 days', async () => {
  const { lines, remember, knows } = open()
  const cookies = remember()
  expect(lines()[0]).toMatch(/; Max-Age=15552000;/)
  vi.setSystemTime(Date.now() + (180 * DAY - 1) * 1000)
  expect(await knows('demo@example.com', cookies)).toMatch(/./)
  vi.setSystemTime(Date.now() + 1000)
  expect(await knows('demo@example.com', cookies)).toBeUndefined()
})

it('cannot be forged, and a cookie that was not signed here costs no read', async () => {
  const { remember, knows, reads } = open({ secret: 'another secret of the tests, long enough' })
  const foreign = remember()
  expect(await knows('demo@example.com', foreign)).toMatch(/./)
  const here = open()
  for (const cookies of [foreign, foreign.replace(/=.*/, '=x.y'), ''])
    expect(await here.knows('demo@example.com', cookies), cookies).toBeUndefined()
  expect([reads(), here.reads()]).toEqual([1, 0])
})

it('stay known when the secret of the service changes', async () => {
  const cookies = open().remember()
  const changed = open({ secret: ['a new secret of the tests, long enough', SECRET] })
  expect(await changed.knows('demo@example.com', cookies)).toMatch(/./)
})

it.each([
  [
    'https://server.example',
    /^__Host-device\.[\w-]{8}=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  ],
  ['http://127.0.0.1:3000', /^device-3000\.[\w-]{8}=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/],
])('have at %s a cookie for this host, which no script reads', (baseUrl, cookie) => {
  const { lines } = open({ baseUrl })
  expect(lines()).toEqual([expect.stringMatching(cookie)])
})
