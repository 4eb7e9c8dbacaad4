import type { StepEvent } from '@grantkit/explain'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ExternalSignInOptions } from '../../src/config/users.ts'
import { DANA } from '../people.ts'
import { type Application, openWithApplication } from './application.ts'
import { throughApplication } from './through-application.ts'
import { visitor } from './visitor.ts'

async function open(options: Partial<ExternalSignInOptions> = {}, environment = {}) {
  const { send, ...opened } = await openWithApplication(options, environment)
  return { ...opened, visit: visitor(opened.server.baseUrl, send) }
}

const ALICE = {
  sub: 'alice',
  name: 'Alice',
  email: 'alice@app.example',
  email_verified: true,
  role: 'editor',
}
const anHourAgo = () => Math.floor(Date.now() / 1000) - 3600

async function userInfo(baseUrl: string, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${baseUrl}/api/oauth/userinfo`, { headers })).json()
}

describe('a user of the application', () => {
  it('signs in there, and is the subject of the tokens by the id of the application', async () => {
    const { application, client, server } = await open()
    application.user = { ...ALICE, acr: 'otp' }
    const {
      access_token,
      id_token = '',
      refresh_token = '',
    } = await client.tokens('openid profile email staff')
    expect(JSON.parse(atob(id_token.split('.')[1] ?? ''))).toMatchObject({ sub: 'alice' })
    expect(await userInfo(server.baseUrl, access_token)).toEqual({ ...ALICE, updated_at: expect.any(Number) })
    expect((await client.refresh(refresh_token)).response.status).toBe(200)
    expect(server.events).toContainEqual(
      expect.objectContaining({ type: 'sign_in_succeeded', signedInBy: 'application', acr: 'otp' }),
    )
    expect((await server.grants.list('alice', { limit: 5 })).grants).toHaveLength(1)
    expect(await server.directory.find('alice')).toMatchObject({ name: 'Alice', email: ALICE.email })
  })

  it('does not go there again while the session lasts', async () => {
    const { application, client } = await open()
    await client.approve('openid')
    await client.approve('openid')
    expect(application.requests).toHaveLength(1)
  })

  it('is sent there with the name of the client and its wishes, also if the client pushed them', async () => {
    const { application, client, server } = await open({}, { PAR: 'on' })
    const wishes = { prompt: 'login', max_age: '60', login_hint: 'alice', ui_locales: 'de' }
    const parameters = { scope: 'openid', code_challenge: 'c'.repeat(43), ...wishes }
    const body = new URL(client.authorizationUrl(parameters)).searchParams
    const pushed = await fetch(`${server.baseUrl}/api/oauth/par`, { method: 'POST', body })
    const { request_uri } = (await pushed.json()) as { request_uri: string }
    const { clientId: client_id } = client
    await visitBy(
      application,
      server.baseUrl,
      `/oauth/authorize?${new URLSearchParams({ client_id, request_uri })}`,
    )
    await client.approve('openid', wishes)
    expect(request_uri).toMatch(/^urn:/)
    const told = {
      prompt: 'login',
      max_age: 60,
      login_hint: 'alice',
      ui_locales: 'de',
      client_name: 'Notes app',
    }
    expect(application.requests).toMatchObject([told, told])
  })

  it('has the name and the address of the last sign-in', async () => {
    const { application, client, server } = await open()
    application.user = ALICE
    await client.approve('openid')
    application.user = { sub: 'alice', name: 'Alice Moore' }
    const { access_token } = await client.tokens('openid profile email', { prompt: 'login' })
    expect(await userInfo(server.baseUrl, access_token)).toEqual({
      sub: 'alice',
      name: 'Alice Moore',
      updated_at: expect.any(Number),
    })
  })

  it('gets a page and no endless loop if the application does not ask for a required sign-in', async () => {
    const { application, visit, client, server } = await open()
    application.user = { ...ALICE, auth_time: anHourAgo() }
    const query = { scope: 'openid', code_challenge: 'c'.repeat(43), prompt: 'login' }
    const page = await visit(client.authorizationUrl(query))
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('You have to sign in again')])
    expect(application.requests).toHaveLength(1)
    expect(server.events).toContainEqual(expect.objectContaining({ reason: 'application_not_fresh' }))
  })

  it('gets a page with a way back if the application denies the sign-in', async () => {
    const { application, visit } = await open()
    application.user = { error: 'access_denied' }
    const page = await visit('/login?return_to=/account')
    expect(page.status).toBe(403)
    expect(page.body).toContain('did not sign you in')
    expect(page.body).toContain('href="/login?return_to=%2Faccount"')
  })

  it('gets a page with the reference of the attempt of the app, by which the operator reads what was wrong', async () => {
    const { application, visit, client, server } = await open()
    application.user = { sub: '' }
    const page = await visit(client.authorizationUrl({ scope: 'openid', code_challenge: 'c'.repeat(43) }))
    expect(page.status).toBe(403)
    const shown = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(page.body)?.[0] ?? ''
    const attempt = await server.attempts.find(shown)
    expect(attempt?.steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      ...['requested ok', 'client_found ok', 'sign_in_shown ok', 'signed_in refused'],
    ])
    expect(attempt?.verdict).toMatchObject({
      id: 'application_invalid',
      by: 'operator',
      compared: [{ label: 'what was wrong', value: expect.stringContaining('sub') }],
    })
    expect(attempt?.clientId).toBe(client.clientId)
    await server.recording.flush()
    const { sentence } = attempt?.verdict ?? {}
    expect((await server.attempts.latestFailures({}, 1))[0]?.verdict.sentence).toBe(sentence)
    application.user = ALICE
    await visit(client.authorizationUrl({ scope: 'openid', code_challenge: 'c'.repeat(43) }))
    expect((await server.attempts.find(shown))?.verdict.id).toBe('in_progress')
  })

  it.each([
    [1, 'sign_in_left', 'user'],
    [3, 'sign_in_repeated', 'operator'],
  ])(
    'who is sent there %i times and never comes back has another verdict than with a sign-in page here',
    async (times, id, by) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      onTestFinished(() => void vi.useRealTimers())
      const { client, server } = await open()
      const url = client.authorizationUrl({ scope: 'openid', code_challenge: 'c'.repeat(43) })
      for (let visits = 0; visits < times; visits++) await fetch(url, { redirect: 'manual' })
      vi.setSystemTime(Date.now() + 601_000)
      const { reference = '' } = server.events.findLast(({ type }) => type === 'step') as Partial<StepEvent>
      const { verdict } = (await server.attempts.find(reference)) ?? {}
      expect(verdict).toMatchObject({ id, by, fix: expect.stringContaining('EXTERNAL_SIGN_IN_KEY') })
      expect(verdict?.sentence).toMatch(/sent .*to the application .* did not come back/)
      expect(verdict).not.toHaveProperty('doctorCheck')
    },
  )

  it('gets a page without a reference where sign-ins are not explained', async () => {
    const { application, visit } = await open({}, { EXPLAIN: 'off' })
    application.user = { error: 'access_denied' }
    expect((await visit('/login')).body).not.toContain('Reference')
  })

  it('that an operator disabled cannot sign in until it is enabled', async () => {
    const { visit, server } = await open()
    expect((await visit('/login?return_to=/account')).status).toBe(200)
    await server.accounts.setDisabled('alice', true)
    expect((await visit('/account')).body).toContain('has disabled your account')
    await server.accounts.setDisabled('alice', false)
    expect((await visit('/account')).status).toBe(200)
  })

  it('does not get the account of an operator with the same id or the same address', async () => {
    const { application, visit, server } = await open()
    await server.accounts.add({ ...DANA, id: 'admin' })
    application.user = { sub: 'admin' }
    expect((await visit('/account')).body).toContain('belongs to another account')
    application.user = { sub: DANA.email ?? '' }
    expect((await visit('/account')).body).toContain('belongs to another account')
    application.user = { ...ALICE, email: DANA.email }
    const account = await visit('/account')
    expect(account.body).toContain('Alice')
    expect((await server.accounts.find('admin'))?.name).toBe(DANA.name)
  })

  it('sees no password and no passkey, and is not signed in again by signing out', async () => {
    const { application, visit } = await open()
    const account = await visit('/account')
    expect(account.body).not.toMatch(/password|passkey|How you sign in/i)
    expect(account.headers['content-security-policy']).toContain(
      `form-action 'self' ${new URL(application.url).origin}`,
    )
    const out = await visit('/logout', { return_to: '/account' })
    expect(out.body).toContain('You are signed out')
    expect(out.body).toContain('href="/login?return_to=%2Faccount&amp;prompt=login"')
    expect(application.requests).toHaveLength(1)
    const token = /name="token" value="([^"]+)"/.exec((await visit('/account')).body)?.[1] ?? ''
    expect((await visit('/account/sign-out', { token })).body).toContain('You are signed out')
    expect(application.requests).toHaveLength(2)
  })

  it('has the host of the application on the admin pages, and no word of a password', async () => {
    const { application, visit, server } = await open()
    await visit('/account')
    await server.accounts.setAdmin('alice', true)
    const { body } = await visit('/admin/user?id=alice')
    expect(body).toContain(`<dd>alice at ${new URL(application.url).host}</dd>`)
    const users = (await visit('/admin/users')).body
    expect([users.includes('<bdi>alice</bdi>'), users.includes('Password')]).toEqual([true, false])
  })

  it('cannot be an account of the server too', async () => {
    await expect(open({}, { ACCOUNTS_FILE: 'accounts.json' })).rejects.toThrow(
      /ACCOUNTS_FILE must be left out: the users are those of the application at/,
    )
  })
})

describe('the removal by an operator', () => {
  it('ends the grants and the session of a user of the application, and the user never signs in again', async () => {
    const { server, client, visit } = await open()
    const { access_token, refresh_token = '' } = await client.tokens('openid')
    expect((await visit('/account')).status).toBe(200)
    expect(await server.operator.users.remove('alice')).toBe(1)
    expect((await server.grants.list('alice', { limit: 5 })).grants, 'at once').toEqual([])
    expect((await client.refresh(refresh_token)).error).toBe('invalid_grant')
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await fetch(`${server.baseUrl}/api/oauth/userinfo`, { headers })).status).toBe(401)
    const account = await visit('/account')
    expect([account.status, account.body]).toEqual([403, expect.stringContaining('was removed')])
  })

  it('keeps out a user who has never signed in, however often it is called', async () => {
    const { server, visit } = await open()
    for (const _ of ['once', 'again']) await server.operator.users.remove('alice')
    expect((await visit('/account')).body).toContain('was removed')
    const removals = server.events.filter(({ type }) => type === 'account_removed')
    expect(removals).toMatchObject([{ subject: 'alice' }])
  })
})

/** A new browser. */
function visitBy(application: Application, baseUrl: string, path: string) {
  return visitor(baseUrl, throughApplication(new URL(application.url).origin))(path)
}

describe('check', () => {
  it('ends the grants and the session of a user whom the application no longer has', async () => {
    const users = new Set(['alice'])
    const { client, visit } = await open({ check: async (sub) => users.has(sub), checkSeconds: 0 })
    const { refresh_token = '' } = await client.tokens('notes:read')
    const again = await client.refresh(refresh_token)
    expect(again.response.status).toBe(200)
    await visit('/account')
    users.clear()
    expect((await client.refresh(again.refresh_token ?? '')).error).toBe('invalid_grant')
    users.add('alice')
    expect((await client.refresh(again.refresh_token ?? '')).error, 'the grant has ended').toBe(
      'invalid_grant',
    )
  })

  it('that fails is no answer: the client tries again, and no grant ends', async () => {
    let outage = false
    const check = async () => {
      if (outage) throw new Error('The application is down')
      return true
    }
    const { client, visit } = await open({ check, checkSeconds: 0 })
    const { refresh_token = '' } = await client.tokens('notes:read')
    await visit('/account')
    outage = true
    const refused = await client.refresh(refresh_token)
    expect([refused.response.status, refused.error]).toEqual([503, 'temporarily_unavailable'])
    expect((await visit('/account')).status).toBe(503)
    outage = false
    expect((await client.refresh(refresh_token)).response.status).toBe(200)
    expect((await visit('/account')).status).toBe(200)
  })
})
