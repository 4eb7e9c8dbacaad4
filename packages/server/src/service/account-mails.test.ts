import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { createMemoryStore } from '@grantkit/store-memory'
import { Hono } from 'hono'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { callerMiddleware } from '../audit/caller.ts'
import { parseConfig } from '../config/config.ts'
import type { ServiceEvent } from '../events.ts'
import { countersInMemory } from '../limits/counters.ts'
import { accountMails } from './account-mails.ts'

/** The mails about changes of an account, and about its personal access tokens. */

const config = parseConfig({
  config: {
    brand: { name: 'Notes' },
    scopes: { openid: { description: 'Sign in' }, read: { description: 'Read', personal: true } },
  },
  environment: {
    ...{ NODE_ENV: 'test', BASE_URL: 'https://notes.example', PERSONAL_TOKENS: 'on' },
    ...{ MAIL_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@notes.example' },
  },
})
const ADA = { subject: 'ada' }
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const GUESSES = { type: 'sign_in_failed', reason: 'wrong_password', ...ADA, slowed: true }

const BY_USER = { type: 'passkey_added', passkey: 'p', ...ADA }
const CREATED = {
  type: 'personal_token_created',
  ...ADA,
  grantId: 'g1',
  label: 'Job',
  expiresAt: 1_800_000_000,
}
const REVOKED = { type: 'grant_revoked', clientId: PERSONAL_CLIENT_ID, by: 'operator', ...ADA, grantId: 'g1' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 30, 8, 5, 59) })
  onTestFinished(() => void vi.useRealTimers())
})

type SentMail = Readonly<Record<'to' | 'subject' | 'text', string>>

/** What is known of the language of a user. */
interface Readers {
  /** Of the browser that causes the mail. */
  readonly accepted?: string
  /** Of the sessions that go on, the newest first. */
  readonly sessions?: readonly (string | undefined)[]
  readonly account?: { readonly locale?: string }
}

/** Mails of a service whose mail server works as long as a test wants. */
function open(
  send: () => Promise<void> = async () => {},
  { accepted = '', sessions = [], account = {} }: Readers = {},
  personalTokens = config.features.personalTokens,
) {
  const mails: SentMail[] = []
  const errors: unknown[] = []
  const findAccount = async (id: string) =>
    id === 'gone'
      ? undefined
      : { id, email: `${id}@notes.example`, email_verified: id !== 'unverified', ...account }
  const about = accountMails(
    {
      ...{
        config: { ...config, features: { ...config.features, personalTokens } },
        readers: {
          account: findAccount as never,
          sessions: async () => sessions.map((language) => ({ language })),
        },
        createCounter: countersInMemory,
      },
      outbox: { store: createMemoryStore(), timers: false },
      onError: (error) => errors.push(error),
    },
    () => async (mail) => {
      await send()
      mails.push(mail)
    },
  )
  const app = new Hono().use(callerMiddleware(() => '203.0.113.7')).post('/', async (c) => {
    about?.onEvent((await c.req.json()) as ServiceEvent)
    return c.text('')
  })
  return {
    mails,
    errors,
    /** Stores the mails about all events so far, and sends them. */
    async deliver() {
      await about?.settled()
      await about?.deliver()
    },
    /** An event of the request of a browser. */
    async emit(...events: readonly object[]) {
      for (const event of events)
        await app.request('/', {
          method: 'POST',
          headers: { 'user-agent': FIREFOX, 'accept-language': accepted },
          body: JSON.stringify(event),
        })
    },
  }
}

const HERE = '  When: 2026-11-30 08:05 UTC\n  Browser: Firefox on Windows\n  Network: 203.0.113.0/24\n'
const ISSUER = 'https://login.partner.example/tenant'

it.each([
  [
    'a new password',
    { type: 'account_password_changed', by: 'user' },
    'Your password was changed',
    'The password',
  ],
  [
    'a reset password',
    { type: 'account_password_changed', by: 'mail' },
    'Your password was changed',
    'By the link in a mail',
  ],
  ['a new passkey', { type: 'passkey_added', passkey: 'p' }, 'New passkey', 'A passkey was added to'],
  ['a removed passkey', { type: 'passkey_removed', passkey: 'p' }, 'A passkey was removed', 'removed from'],
  [
    'a new provider',
    { type: 'identity_linked', issuer: ISSUER },
    'New way to sign in',
    '  Provider: login.partner.example\n',
  ],
  [
    'a removed provider',
    { type: 'identity_removed', issuer: ISSUER },
    'A way to sign in was removed',
    '  Provider: login.partner.example\n',
  ],
  ['guesses', GUESSES, 'Wrong passwords for your account', 'Somebody tries'],
  [
    'a sign-in without the passkey that is needed',
    { type: 'sign_in_failed', reason: 'passkey_required' },
    'A sign-in was stopped',
    'Somebody tried without a passkey',
  ],
])(
  'tell the user of %s, with the browser, and with a link that has no token',
  async (_, event, subject, what) => {
    const { mails, emit, deliver } = open()
    await emit({ ...event, ...ADA })
    await deliver()
    expect(mails).toMatchObject([{ to: 'ada@notes.example', subject: `${subject} at Notes` }])
    const [{ text = '' } = {}] = mails
    for (const part of [what, 'your account at Notes, https://notes.example.', HERE])
      expect(text).toContain(part)
    expect(text.match(/https:\S+/g)).toEqual(['https://notes.example.', 'https://notes.example/account'])
  },
)

it.each([
  ['a new password', { type: 'account_password_changed', by: 'operator' }, 'New password at Notes'],
  ['the rights of an admin', { type: 'account_admin_added' }, 'You are an admin now at Notes'],
])(
  'tell the user of %s that an operator gave, without the browser of the operator',
  async (_, event, subject) => {
    const { mails, emit, deliver } = open()
    await emit({ ...event, ...ADA })
    await deliver()
    expect(mails).toMatchObject([
      { subject, text: expect.stringContaining('  When: 2026-11-30 08:05 UTC\n\n') },
    ])
    expect(mails[0]?.text).not.toMatch(/Firefox|203\.0/)
  },
)

const EXPIRES = '  Token: Job\n  Expires: 2027-01-15 08:00 UTC\n'

it.each([
  ['a new one, with the browser', CREATED, 'New personal access token', `${EXPIRES}${HERE}`],
  [
    'one in use that ends soon',
    { ...CREATED, type: 'personal_token_expiring' },
    'A personal access token ends soon',
    `${EXPIRES}  When: 2026-11-30 08:05 UTC\n\n`,
  ],
  [
    'one that an operator revoked',
    REVOKED,
    'A personal access token was revoked',
    'An operator revoked personal access tokens',
  ],
])('of personal access tokens tell the user of %s', async (_, event, subject, what) => {
  const { mails, emit, deliver } = open()
  await emit(event)
  await deliver()
  expect(mails).toMatchObject([{ to: 'ada@notes.example', subject: `${subject} at Notes` }])
  const [{ text = '' } = {}] = mails
  expect(text).toContain(what)
  expect(text.match(/https:\S+/g)).toEqual(['https://notes.example.', 'https://notes.example/account/tokens'])
})

it('of personal access tokens that an operator ends together come once to each user', async () => {
  const { mails, emit, deliver } = open()
  await emit(...Array(50).fill(REVOKED), { ...REVOKED, subject: 'bob' })
  await deliver()
  expect(mails.map(({ to }) => to).sort()).toEqual(['ada@notes.example', 'bob@notes.example'])
  vi.setSystemTime(Date.now() + 60 * 1000)
  await emit(REVOKED)
  await deliver()
  expect(mails).toHaveLength(3)
})

it('of new personal access tokens are fifty a day, and take nothing from the other mails', async () => {
  const { mails, emit, deliver } = open()
  await emit(...Array(60).fill(CREATED), { ...CREATED, type: 'personal_token_expiring' }, BY_USER)
  for (let round = 0; round < 60; round++) await deliver()
  const subjects = Map.groupBy(mails, ({ subject }) => subject)
  expect([...subjects].map(([subject, { length }]) => [subject, length]).sort()).toEqual([
    ['A personal access token ends soon at Notes', 1],
    ['New passkey at Notes', 1],
    ['New personal access token at Notes', 50],
  ])
})

it.each([
  ['that the user revoked', { ...REVOKED, by: 'user' }],
  ['that the user ended', { ...CREATED, type: 'personal_token_ended', reason: 'user' }],
  ['that ended with its user', { ...REVOKED, reason: 'subject_gone' }],
  ['of another app', { ...REVOKED, clientId: 'app' }],
])('tell nobody of a token %s', async (_, event) => {
  const { mails, errors, emit, deliver } = open()
  await emit(event)
  await deliver()
  expect([mails, errors]).toEqual([[], []])
})

it('do not lead to the page of tokens where there is none', async () => {
  const off = { ...config.features.personalTokens, enabled: false }
  const { mails, emit, deliver } = open(undefined, undefined, off)
  await emit(REVOKED, { ...CREATED, type: 'personal_token_expiring' })
  await deliver()
  expect(mails).toEqual([])
})

it.each([
  ['a wrong password that makes nobody wait', { ...GUESSES, slowed: undefined }],
  ['guesses at an address without an account', { ...GUESSES, subject: undefined }],
  ['a change of an account that is gone', { type: 'passkey_added', subject: 'gone' }],
  [
    'a change of an account with an address that nobody verified',
    { type: 'passkey_added', subject: 'unverified' },
  ],
  ['a sign-in', { type: 'sign_in_succeeded', ...ADA }],
])('tell nobody of %s', async (_, event) => {
  const { mails, errors, emit, deliver } = open()
  await emit(event)
  await deliver()
  expect([mails, errors]).toEqual([[], []])
})

it('are ten a day for an account, one of them about guesses', async () => {
  const { mails, emit, deliver } = open()
  await emit(...Array(5).fill(GUESSES))
  await emit(...Array(20).fill({ type: 'passkey_added', ...ADA }))
  await emit({ type: 'passkey_added', subject: 'bob' })
  await deliver()
  const subjects = Map.groupBy(mails, ({ to, subject }) => `${to} ${subject}`)
  expect([...subjects].map(([subject, { length }]) => [subject, length]).sort()).toEqual([
    ['ada@notes.example New passkey at Notes', 9],
    ['ada@notes.example Wrong passwords for your account at Notes', 1],
    ['bob@notes.example New passkey at Notes', 1],
  ])
  vi.setSystemTime(Date.now() + 24 * 60 * 60 * 1000)
  await emit(GUESSES)
  await deliver()
  expect(mails).toHaveLength(12)
})

it('that the mail server does not take are errors of the server, and are sent when it is back', async () => {
  const failure = new Error('The mail server did not accept a mail')
  let isDown = true
  const { mails, errors, emit, deliver } = open(() => (isDown ? Promise.reject(failure) : Promise.resolve()))
  await emit({ type: 'passkey_added', ...ADA })
  await deliver()
  expect([mails, errors]).toEqual([[], [failure]])
  isDown = false
  vi.setSystemTime(Date.now() + 60 * 60 * 1000)
  await deliver()
  expect(mails).toMatchObject([{ text: expect.stringContaining('  When: 2026-11-30 08:05 UTC\n') }])
})

const WITH_ENGLISH = '\n* * *\n\nA passkey was added to your account'

it.each([
  [
    'of the account, whatever browser changes something',
    BY_USER,
    { accepted: 'de', sessions: ['ja', 'fr'], account: { locale: 'es-MX' } },
    'Nueva llave de acceso en Notes',
    undefined,
  ],
  [
    'of the oldest session, with English below, if the account has none',
    BY_USER,
    { accepted: 'de', sessions: ['ja', 'fr', undefined] },
    'Nouvelle clé d’accès – Notes / New passkey at Notes',
    WITH_ENGLISH,
  ],
  [
    'of the browser that changes something, with English below, if nothing else is known',
    BY_USER,
    { accepted: 'de-AT, en' },
    'Neuer Passkey bei Notes / New passkey at Notes',
    WITH_ENGLISH,
  ],
  ['of the service, if nothing is known', BY_USER, {}, 'New passkey at Notes', undefined],
  [
    'of the service, if a stranger causes it and nothing is known',
    GUESSES,
    { accepted: 'ja' },
    'Wrong passwords for your account at Notes',
    undefined,
  ],
])('are in the language %s', async (_, event, readers, subject, below) => {
  const { mails, emit, deliver } = open(undefined, readers)
  await emit(event)
  await deliver()
  expect(mails).toMatchObject([{ subject }])
  expect(mails[0]?.text.split('* * *').length, mails[0]?.text).toBe(below === undefined ? 1 : 2)
  expect(mails[0]?.text).toContain(below ?? '')
})

it('name the browser in the language of the mail', async () => {
  const { mails, emit, deliver } = open(undefined, { accepted: 'de' })
  await emit(BY_USER)
  await deliver()
  expect(mails[0]?.text).toContain('  Zeit: 2026-11-30 08:05 UTC\n  Browser: Firefox unter Windows\n')
})

it('are not sent without a mail server', () => {
  const without = { ...config, mail: { ...config.mail, url: undefined } }
  const readers = { account: async () => undefined, sessions: async () => [] }
  const options = { readers, createCounter: countersInMemory, onError: () => {} }
  const outbox = { store: createMemoryStore(), timers: false }
  expect(accountMails({ ...options, outbox, config: without })).toBeUndefined()
})

it('an app that asks is told with the link of its request, in the language of the user, and not when it is over', async () => {
  const { mails, emit, deliver } = open(undefined, { accepted: 'fr', account: { locale: 'de' } })
  const now = Date.UTC(2026, 10, 30, 8, 5, 59) / 1000
  const url = 'https://notes.example/oauth/requests?request=r'
  const asked = { type: 'backchannel_requested', ...ADA, url, expiresAt: now + 300 }
  await emit(asked, { ...asked, expiresAt: now - 1 }, { ...asked, subject: 'unverified' })
  await deliver()
  expect(mails).toEqual([
    {
      to: 'ada@notes.example',
      subject: 'Eine App bittet um Ihre Zustimmung bei Notes',
      text: expect.stringContaining(`Melden Sie sich an und antworten Sie hier:\n\n${url}\n`),
    },
  ])
  expect(mails[0]?.text).not.toContain('Firefox')
})

it('of an app that asks on and on, no more than twenty mails an hour come', async () => {
  const { mails, emit, deliver } = open()
  const url = 'https://notes.example/oauth/requests?request=r'
  const asked = { type: 'backchannel_requested', ...ADA, url, expiresAt: Date.now() / 1000 + 300 }
  await emit(...Array.from({ length: 25 }, () => asked))
  for (let round = 0; round < 25; round++) await deliver()
  expect(mails).toHaveLength(20)
})
