import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { expect, it } from 'vitest'
import { parseConfig } from '../config/config.ts'
import type { ServiceEvent } from '../events.ts'
import { personalTokenMails } from './token-mails.ts'

/** The mails about personal access tokens. */

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
const ADA = { subject: 'ada', grantId: 'g1' }
const created = (about: object = {}) => ({ type: 'personal_token_created', ...ADA, label: 'Job', ...about })
const revoked = (about: object = {}) => ({
  ...{ type: 'grant_revoked', clientId: PERSONAL_CLIENT_ID, by: 'operator', ...ADA, ...about },
})

/** The mails after these events, and the errors. */
async function sentAfter(events: readonly object[], fails = false) {
  const mails: { to: string; subject: string; text: string }[] = []
  const errors: unknown[] = []
  const findAccount = async (id: string) => (id === 'gone' ? undefined : { id, email: `${id}@notes.example` })
  const options = {
    config,
    readers: { account: findAccount as never, sessions: async () => [] },
    onError: (e: unknown) => errors.push(e),
  }
  const about = personalTokenMails(options, () => async (mail) => {
    if (fails) throw new Error('The mail server did not accept a mail')
    mails.push(mail)
  })
  for (const event of events) about?.onEvent(event as ServiceEvent)
  await about?.settled()
  return { mails, errors }
}

it.each([
  ['a new one', created(), 'New personal access token at Notes', '\n  Job\n'],
  [
    'one in use that ends soon',
    { ...created({ expiresAt: 1_800_000_000 }), type: 'personal_token_expiring' },
    'A personal access token ends soon at Notes',
    '\n  Job, on 2027-01-15\n',
  ],
  ['one that an operator revoked', revoked(), 'A personal access token was revoked at Notes', 'An operator'],
])('tell the user of %s', async (_, event, subject, text) => {
  const { mails } = await sentAfter([event])
  expect(mails).toEqual([{ to: 'ada@notes.example', subject, text: expect.stringContaining(text) }])
  expect(mails[0]?.text).toContain('\nhttps://notes.example/account/tokens\n')
})

it.each([
  ['the user revoked', revoked({ by: 'user' })],
  ['the user ended', { ...created(), type: 'personal_token_ended', reason: 'user' }],
  ['ended with its user', revoked({ reason: 'account_disabled' })],
  ['was of another app', revoked({ clientId: 'app' })],
  ['has a user who is gone', created({ subject: 'gone' })],
])('tell nobody of a token that %s', async (_, event) => {
  expect(await sentAfter([event])).toEqual({ mails: [], errors: [] })
})

it('tell one user in one mail of several of a kind, and each user apart', async () => {
  const more = [created({ grantId: 'g2', label: 'Build' }), created({ subject: 'bob', grantId: 'g3' })]
  const { mails } = await sentAfter([created(), ...more])
  expect(mails.map(({ to }) => to)).toEqual(['ada@notes.example', 'bob@notes.example'])
  expect(mails[0]?.text).toContain('\n  Job\n  Build\n')
})

it('that cannot be sent are errors of the server', async () => {
  expect(await sentAfter([created()], true)).toMatchObject({ mails: [], errors: [expect.any(Error)] })
})

it.each(['PERSONAL_TOKENS', 'MAIL_URL'])('are not sent without %s', (name) => {
  const { features, mail } = config
  const without =
    name === 'MAIL_URL'
      ? { ...config, mail: { ...mail, url: undefined } }
      : {
          ...config,
          features: { ...features, personalTokens: { ...features.personalTokens, enabled: false } },
        }
  const readers = { account: async () => undefined, sessions: async () => [] }
  const options = { config: without, readers, onError: () => {} }
  expect(personalTokenMails(options)).toBeUndefined()
})
