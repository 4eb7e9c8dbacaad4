import { createMemoryStore } from '@grantkit/store-memory'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { type Bend, softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { expect, it, vi } from 'vitest'
import { type AccountRows, accountRows } from '../src/accounts/account-rows.ts'
import type { Account, StoredAccount } from '../src/accounts/accounts.ts'
import {
  registrationCeremony,
  type SignInAnswer,
  type SignInCeremony,
  type StartedCeremony,
  signInAnswer,
  signInCeremony,
} from '../src/accounts/passkeys/ceremonies.ts'
import { type PasskeyRows, passkeyRows } from '../src/accounts/passkeys/passkey-rows.ts'
import { relyingParty } from '../src/config/address.ts'
import type { Database } from '../src/database/database.ts'
import { connected, withoutAccounts } from './connected.ts'
import { DANA, THEO } from './people.ts'

const BASE_URL = 'https://server.example'

async function added(accounts: AccountRows, account: Account): Promise<StoredAccount> {
  await accounts.add(account)
  const stored = await accounts.find(account.id)
  if (stored === undefined) throw new Error('The account was not added')
  return stored
}

function cookieOf({ cookies: [cookie = ''] }: StartedCeremony): string {
  return cookie.split(';')[0] ?? ''
}

async function verified(ceremony: SignInCeremony, cookies: string, answer: SignInAnswer) {
  const presented = await ceremony.find(cookies, answer)
  return presented && ceremony.verify(presented)
}

async function openOn(database: Database) {
  const party = relyingParty(BASE_URL)
  if (party === undefined) throw new Error('The base URL has passkeys')
  const passkeys = passkeyRows(database)
  const accounts = accountRows(database, () => {})
  const options = {
    name: 'A service',
    party,
    passkeys,
    accounts,
    secret: 'x'.repeat(32),
    baseUrl: BASE_URL,
    store: createMemoryStore(),
  }
  const registration = registrationCeremony(options)
  const signIn = signInCeremony(options)
  const alice = await added(accounts, DANA)
  const authenticator = softwareAuthenticator(BASE_URL)
  return {
    options,
    accounts,
    passkeys,
    registration,
    signIn,
    alice,
    authenticator,
    async register(bend?: Bend, key = authenticator) {
      const started = await registration.begin(undefined, alice)
      const made = await registration.verify(cookieOf(started), alice, key.create(started.options, bend))
      if (made) await passkeys.add({ ...made, name: 'laptop', addedAt: Date.now() }, alice)
      return made
    },
    async answer(bend?: Bend) {
      const started = await signIn.begin(undefined)
      return verified(signIn, cookieOf(started), answerOf(authenticator.get(started.options, bend)))
    },
  }
}

/** With nothing that depends on the database. */
const openInMemory = async () => openOn(await connected('memory:'))

it.each<[string, Bend]>([
  ['of a page elsewhere', { origin: 'https://server.example.evil.example' }],
  ['for another party', { rpId: 'evil.example' }],
  ['to another challenge', { challenge: 'AAAA' }],
  ['of the other ceremony', { type: 'webauthn.create' }],
  ['without a look at its user', { userVerified: false }],
  ['of an absent user', { userPresent: false }],
  ['for another user', { userHandle: 'AAAA' }],
  ['with a wrong signature', { signature: Buffer.alloc(70) }],
])('refuses an answer %s', async (_name, bend) => {
  const { register, answer } = await openInMemory()
  await register()
  expect(await answer(bend)).toBeUndefined()
})

it.each<[string, Bend]>([
  ['of a page elsewhere', { origin: 'https://evil.example' }],
  ['for another party', { rpId: 'evil.example' }],
  ['to another challenge', { challenge: 'AAAA' }],
  ['of the other ceremony', { type: 'webauthn.get' }],
  ['that does not verify its user', { userVerified: false }],
])('refuses a new passkey %s', async (_name, bend) => {
  const { register } = await openInMemory()
  expect(await register(bend)).toBeUndefined()
})

it('accepts a response once, even if it arrives several times at once', async () => {
  const { register, signIn, authenticator } = await openInMemory()
  await register()
  const started = await signIn.begin(undefined)
  const answer = answerOf(authenticator.get(started.options))
  const tries = Array.from({ length: 8 }, () => verified(signIn, cookieOf(started), answer))
  expect((await Promise.all(tries)).filter((passkey) => passkey !== undefined)).toHaveLength(1)
  expect(await verified(signIn, cookieOf(started), answer)).toBeUndefined()
})

it('accepts the response of each tab that asked for one', async () => {
  const { register, signIn, authenticator, alice } = await openInMemory()
  await register()
  const tabs = [await signIn.begin(undefined), await signIn.begin(undefined)]
  const cookies = tabs.map(cookieOf).join('; ')
  for (const { options } of tabs)
    expect((await verified(signIn, cookies, answerOf(authenticator.get(options))))?.id).toBe(alice.id)
})

it('rejects a response of another browser, after five minutes, or of the other ceremony', async () => {
  const { register, registration, signIn, authenticator, alice } = await openInMemory()
  await register()
  const [started, other] = [await signIn.begin(undefined), await signIn.begin(undefined)]
  const answer = answerOf(authenticator.get(started.options))
  expect(await verified(signIn, cookieOf(other), answer)).toBeUndefined()
  expect(await verified(signIn, cookieOf(await registration.begin(undefined, alice)), answer)).toBeUndefined()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60 * 1000 })
  expect(await verified(signIn, cookieOf(started), answer)).toBeUndefined()
  vi.useRealTimers()
  expect((await verified(signIn, cookieOf(started), answer))?.id).toBe(alice.id)
})

it('is registered only in the browser with the challenge, and once', async () => {
  const { registration, accounts, alice, authenticator, register } = await openInMemory()
  const started = await registration.begin(undefined, alice)
  const answer = authenticator.create(started.options)
  expect(await registration.verify(cookieOf(started), await added(accounts, THEO), answer)).toBeUndefined()
  await register()
  expect((await registration.begin(undefined, alice)).options).toMatchObject({
    excludeCredentials: [{ id: authenticator.id, transports: ['internal'] }],
  })
})

it.each([
  '',
  'null',
  '{}',
  '[]',
  '{"id":1}',
  `{"id":"${'x'.repeat(2000)}"}`,
  '{"id":"x","response":{"userHandle":{}}}',
])('is not confused by %j', async (text) => {
  const { registration, alice } = await openInMemory()
  expect(signInAnswer(text)).toBeUndefined()
  const started = await registration.begin(undefined, alice)
  expect(await registration.verify(cookieOf(started), alice, text)).toBeUndefined()
})

onEachDatabase((newDatabase) => {
  async function open() {
    const { url, database } = await withoutAccounts(newDatabase)
    const opened = await openOn(database)
    return {
      ...opened,
      /** Two processes on the database. Both have read the passkey before either writes. */
      async replicas() {
        const both = Promise.withResolvers<void>()
        let reading = 2
        const replica = async () => {
          const rows = passkeyRows(await connected(url))
          const use: PasskeyRows['use'] = async (...given) => {
            if (--reading === 0) both.resolve()
            await both.promise
            return rows.use(...given)
          }
          return signInCeremony({ ...opened.options, passkeys: { ...rows, use } })
        }
        return [await replica(), await replica()]
      },
    }
  }

  it('signs its user in, any number of times', async () => {
    const { register, answer, alice, passkeys } = await open()
    expect(await register()).toMatchObject({ subject: alice.id, transports: ['internal'], synced: false })
    expect((await answer())?.id).toBe(alice.id)
    expect((await answer())?.id).toBe(alice.id)
    const [kept] = await passkeys.list(alice.id)
    expect(kept).toMatchObject({ name: 'laptop', usedAt: expect.any(Number) })
  })

  it('rejects a counter that decreases, and accepts one that stays at 0', async () => {
    const { register, answer, alice } = await open()
    await register()
    expect((await answer({ counter: 4_294_967_295 }))?.id).toBe(alice.id)
    for (const counter of [4_294_967_295, 7, 0])
      expect(await answer({ counter }), String(counter)).toBeUndefined()
  })

  it.each([
    [7, 1],
    [0, 2],
  ])('of two sign-ins at two replicas with the counter %i, %i succeed', async (counter, succeeding) => {
    const { register, replicas, authenticator } = await open()
    await register()
    const answers = (await replicas()).map(async (ceremony) => {
      const started = await ceremony.begin(undefined)
      return verified(ceremony, cookieOf(started), answerOf(authenticator.get(started.options, { counter })))
    })
    expect((await Promise.all(answers)).filter((passkey) => passkey !== undefined)).toHaveLength(succeeding)
  })

  it('is removed with its account', async () => {
    const { register, answer, passkeys, accounts, alice } = await open()
    await register()
    await accounts.remove(alice.id)
    expect([await passkeys.list(alice.id), await answer()]).toEqual([[], undefined])
  })
})

function answerOf(text: string): SignInAnswer {
  const answer = signInAnswer(text)
  if (answer === undefined) throw new Error('The authenticator answered nothing')
  return answer
}

it.each([
  ['https://server.example/below', 'server.example'],
  ['https://server.example:8443', 'server.example'],
  ['http://localhost:3000', 'localhost'],
  ['http://127.0.0.1:3000', undefined],
  ['http://[::1]:3000', undefined],
  ['https://192.0.2.1', undefined],
  ['http://server.example', undefined],
])('has %s as the place of its passkeys: %s', (baseUrl, id) => {
  expect(relyingParty(baseUrl)?.id).toBe(id)
})
