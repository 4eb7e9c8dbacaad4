import { runMailServer } from '@grantkit/test-servers/mail-server'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { THEO } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** Personal access tokens as their users and an operator see them: on pages, and by commands. */

let server: RunningServer
const events: { readonly type: string }[] = []
beforeAll(async () => {
  const scopes = {
    openid: { description: 'Know who you are' },
    'notes:read': { description: { en: 'Read your notes', de: 'Notizen lesen' }, personal: true },
    'notes:write': { description: 'Change your notes', access: 'write' as const, personal: true },
    'billing:write': { description: 'Change the billing' },
  }
  const resources = { 'https://mcp.example/mcp': { name: 'Notes for models' } }
  const onEvent = (event: { readonly type: string }) => void events.push(event)
  server = await runServer(
    { PERSONAL_TOKENS: 'on', PERSONAL_TOKEN_MAX_DAYS: '90' },
    { scopes, resources },
    { onEvent },
  )
})
afterAll(() => server.close())

/** Without the page. */
const createFor = (subject: string, label = 'Job') =>
  server.personalTokens?.create({ subject, label, scopes: ['notes:read'], resources: [server.baseUrl] })

type Visitor = Awaited<ReturnType<typeof browserOf>>

const ticketIn = (html: string) => /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? ''
const textIn = (html: string) => /<textarea[^>]*>([^<]+)<\/textarea>/.exec(html)?.[1]
const idIn = (html: string) => /name="id" value="([^"]+)"/.exec(html)?.[1] ?? ''

async function create(visitor: Visitor, changes: Readonly<Record<string, string>> = {}) {
  const { html } = await visitor('/account/tokens')
  const form = { label: 'Nightly job', scope: 'notes:read', resource: server.baseUrl, days: '30' }
  return visitor('/account/tokens', {}, { ...form, ticket: ticketIn(html), ...changes })
}

async function endAll(visitor: Visitor): Promise<void> {
  for (
    let page = await visitor('/account/tokens');
    idIn(page.html) !== '';
    page = await visitor('/account/tokens')
  )
    await visitor('/account/tokens/end', {}, { id: idIn(page.html), ticket: ticketIn(page.html) })
}

describe('the page of personal access tokens', () => {
  it('sends a visitor without a session to the sign-in, and back to it', async () => {
    const answer = await fetch(`${server.baseUrl}/account/tokens`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/login?return_to=%2Faccount%2Ftokens',
    ])
  })

  it('is linked from the account page', async () => {
    const { html } = await (await browserOf(server, 'demo'))('/account')
    expect(html).toContain('<a href="/account/tokens">')
  })

  it('offers the scopes with `personal` and the resources of the server', async () => {
    const { text, html } = await (await browserOf(server, 'demo'))('/account/tokens')
    expect(text).toContain('You have no tokens.')
    expect([...html.matchAll(/name="scope" value="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      'notes:read',
      'notes:write',
    ])
    expect([...html.matchAll(/name="resource" value="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      'https://mcp.example/mcp',
      server.baseUrl,
    ])
    const chosen = /name="resource" value="([^"]+)"[^>]* checked/.exec(html)?.[1]
    expect(chosen, 'a server without an API of its own').toBe('https://mcp.example/mcp')
    expect(html).toContain('<option value="30" selected>30 days</option>')
    expect(html).not.toContain('<option value="365"')
  })

  it('is in the language of the browser', async () => {
    const page = await (await browserOf(server, 'demo'))('/account/tokens', { 'accept-language': 'de' })
    expect(page.text).toContain('Persönliche Zugriffstokens')
    expect(page.text).toContain('Notizen lesen')
  })

  it('shows a new token once, and then only what it may do', async () => {
    const visitor = await browserOf(server, 'demo')
    const made = await create(visitor)
    expect([made.status, textIn(made.html)]).toEqual([200, expect.stringMatching(/^gkp_[\w.-]{40,}$/)])
    const later = await visitor('/account/tokens')
    expect(textIn(later.html)).toBeUndefined()
    expect(later.html).not.toContain('gkp_')
    expect(later.text).toMatch(/Nightly job.*Last used not yet.*Read your notes/)
    expect(events.filter(({ type }) => type === 'personal_token_created')).toMatchObject([
      { label: 'Nightly job', scopes: ['notes:read'], resources: [server.baseUrl] },
    ])
    await endAll(visitor)
  })

  it('revokes a token, and says so once', async () => {
    const visitor = await browserOf(server, 'demo')
    const { html } = await create(visitor)
    const form = { id: idIn(html), ticket: ticketIn(html) }
    const ended = await visitor('/account/tokens/end', {}, form)
    expect(ended.status).toBe(303)
    expect((await visitor(ended.location ?? '')).text).toContain('The token Nightly job is revoked.')
    expect((await visitor('/account/tokens')).text).toContain('You have no tokens.')
  })

  it('does not show the notice of another session', async () => {
    const [visitor, other] = [await browserOf(server, 'demo'), await browserOf(server, 'teacher')]
    const { html } = await create(visitor)
    const ended = await visitor('/account/tokens/end', {}, { id: idIn(html), ticket: ticketIn(html) })
    expect((await other(ended.location ?? '')).text).not.toContain('Nightly job')
  })

  it.each([
    ['without a name', { label: '  ' }],
    ['with a name of 61 characters', { label: 'x'.repeat(61) }],
    ['with a scope that is not personal', { scope: 'billing:write' }],
    ['with no scope', { scope: '' }],
    ['for a resource of somebody else', { resource: 'https://elsewhere.example' }],
    ['for a time that is not offered', { days: '365' }],
  ])('creates no token %s', async (_, changes) => {
    const visitor = await browserOf(server, 'demo')
    const page = await create(visitor, changes)
    expect([page.status, textIn(page.html)]).toEqual([400, undefined])
    expect(page.text).toContain('No token was created.')
    expect((await visitor('/account/tokens')).text).toContain('You have no tokens.')
  })

  it('keeps what the user filled in when something is missing', async () => {
    const { html } = await create(await browserOf(server, 'demo'), {
      scope: '',
      days: '7',
      label: 'Build <1>',
    })
    expect(html).toContain('value="Build &lt;1&gt;"')
    expect(html).toContain('<option value="7" selected>')
  })

  it('refuses the 51st token with 409', async () => {
    for (let made = 0; made < 50; made++) await createFor('teacher-account')
    const page = await create(await browserOf(server, 'teacher'))
    expect([page.status, textIn(page.html)]).toEqual([409, undefined])
    expect(page.text).toContain('you have as many as one user may have')
    await server.grants.revokeAll('teacher-account')
  })
})

describe('the forms of the page', () => {
  it('refuse a form without the ticket of the session, or with that of another user', async () => {
    const [visitor, other] = [await browserOf(server, 'demo'), await browserOf(server, 'teacher')]
    const foreign = ticketIn((await other('/account/tokens')).html)
    for (const ticket of ['', 'x.y', foreign])
      expect((await create(visitor, { ticket })).status, ticket).toBe(403)
    expect((await visitor('/account/tokens')).text).toContain('You have no tokens.')
  })

  it('refuse a form that another site sends', async () => {
    const visitor = await browserOf(server, 'demo')
    const { html } = await visitor('/account/tokens')
    const form = {
      label: 'x',
      scope: 'notes:read',
      resource: server.baseUrl,
      days: '7',
      ticket: ticketIn(html),
    }
    const page = await visitor('/account/tokens', { 'sec-fetch-site': 'cross-site' }, form)
    expect([page.status, textIn(page.html)]).toEqual([403, undefined])
  })

  it('do not revoke the token of another user', async () => {
    const [visitor, other] = [await browserOf(server, 'demo'), await browserOf(server, 'teacher')]
    const { html } = await create(visitor)
    const ticket = ticketIn((await other('/account/tokens')).html)
    await other('/account/tokens/end', {}, { id: idIn(html), ticket })
    expect((await visitor('/account/tokens')).text).toContain('Nightly job')
    await endAll(visitor)
  })

  it('create a token only within five minutes of the sign-in, and revoke one at any time', async () => {
    const visitor = await browserOf(server, 'demo')
    const made = await create(visitor)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60 * 1000 })
    try {
      const page = await visitor('/account/tokens')
      expect(page.html).toContain(
        '<a href="/login?return_to=%2Faccount%2Ftokens&amp;prompt=login">Sign in again</a>',
      )
      expect(page.html).not.toContain('name="label"')
      const refused = await create(visitor)
      expect([refused.status, textIn(refused.html)]).toEqual([403, undefined])
      await visitor('/account/tokens/end', {}, { id: idIn(made.html), ticket: ticketIn(page.html) })
      expect((await visitor('/account/tokens')).text).toContain('You have no tokens.')
    } finally {
      vi.useRealTimers()
    }
  })

  it('take no access token in place of the session', async () => {
    const visitor = await browserOf(server, 'demo')
    const { html } = await create(visitor)
    const headers = { authorization: `Bearer ${textIn(html)}` }
    const body = new URLSearchParams({ label: 'x', scope: 'notes:read', resource: server.baseUrl, days: '7' })
    const answer = await fetch(`${server.baseUrl}/account/tokens`, {
      ...{ method: 'POST', redirect: 'manual', headers, body },
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/login?return_to=%2Faccount%2Ftokens',
    ])
    await endAll(visitor)
  })
})

type Change = (accounts: RunningServer['accounts'], hash: string) => Promise<unknown>
const changedBy =
  (by: 'mail' | 'user'): Change =>
  async (accounts, hash) => {
    const account = await accounts.find('teacher-account')
    return account && accounts.changePassword(account, hash, by)
  }

it.each<[string, number, Change]>([
  ['by the link of a mail', 0, changedBy('mail')],
  ['by an operator', 0, (accounts, hash) => accounts.setPassword('teacher-account', hash)],
  ['by the user, who knows the old one,', 1, changedBy('user')],
])('a new password that is set %s leaves the tokens: %i', async (_, left, change) => {
  await createFor('teacher-account')
  expect(await change(server.accounts, quickHash('teacher'))).toBeTruthy()
  expect(await server.personalTokens?.list('teacher-account')).toHaveLength(left)
  await server.grants.revokeAll('teacher-account')
})

it('an operator sees the name of a token on the page of its user, and ends it', async () => {
  // Without the ended grants of the others, of which a page may be full.
  const subject = 'account-of-one-token'
  await server.accounts.add({ ...THEO, id: subject, email: 'one-token@example.com' })
  await createFor(subject, 'Seen by admin')
  await server.accounts.setAdmin('demo-account', true)
  const admin = await browserOf(server, 'demo')
  const path = `/admin/user?id=${subject}`
  const { html, text } = await admin(path)
  expect(text).toContain('Personal access token Seen by admin')
  const [, grant = ''] = /name="grant" value="([^"]+)"/.exec(html) ?? []
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(html) ?? []
  await admin(path, {}, { action: 'end_grant', grant, token })
  expect(await server.personalTokens?.list(subject)).toEqual([])
})

describe('the commands of an operator', () => {
  const [subject, email] = ['demo-account', 'demo@example.com']
  const run = (...words: string[]) => ranCommand(server, ['personal-tokens', ...words])
  const list = async (...options: string[]) => (await run('list', email, ...options)).output
  afterEach(() => server.grants.revokeAll(subject))

  it('list the tokens of a user, without their texts', async () => {
    expect(await list()).toBe('There are no tokens.')
    const made = await createFor(subject, 'Nightly \u001b[31mjob')
    const listed = await list()
    expect(listed).toContain(`${made?.token.id}`)
    expect(listed).toMatch(/ ends 20\d\d-.* not used yet {2}notes:read/)
    expect(listed).not.toContain(made?.text)
    expect(listed, 'no sequence of a user steers the terminal').toContain('  "Nightly [31mjob"  ')
    expect(JSON.parse(await list('--json'))).toMatchObject({ id: made?.token.id })
  })

  it('revoke a token, as an operator in the trail', async () => {
    const grantId = (await createFor(subject))?.token.id ?? ''
    expect((await run('revoke', email, grantId)).output).toBe('The token has ended.')
    expect(await list()).toBe('There are no tokens.')
    const { facts } = await server.database
      .selectFrom('audit')
      .select('facts')
      .where('type', '=', 'grant_revoked')
      .where('facts', 'like', `%${grantId}%`)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(facts)).toMatchObject({ by: 'operator', actor: expect.stringMatching(/^command:/) })
  })

  it('revoke nothing else: no token of another user, and no other grant', async () => {
    const id = (await createFor(subject))?.token.id ?? ''
    expect((await run('revoke', 'teacher@example.com', id)).errors).toContain('has no token')
    expect((await run('revoke', email, 'unknown')).errors).toContain('This user has no token unknown.')
    expect(await list()).toContain(id)
  })
})

it('a server with a mail server sends mails about tokens, without their texts', async () => {
  const mailServer = await runMailServer()
  onTestFinished(() => mailServer.close())
  const scopes = { 'notes:read': { description: 'Read your notes', personal: true } }
  const told = await runServer({ PERSONAL_TOKENS: 'on', ...mailServer.environment }, { scopes })
  onTestFinished(() => told.close())
  const token = { label: 'Job', scopes: ['notes:read'], resources: [told.baseUrl] }
  const made = await told.personalTokens?.create({ ...token, subject: 'demo-account' })
  await expect.poll(() => mailServer.mails).toHaveLength(1)
  const [{ to, content } = { to: '', content: '' }] = mailServer.mails
  expect([to, content]).toEqual(['demo@example.com', expect.stringContaining('  Token: Job\n')])
  expect(content).not.toContain(made?.text)
})

it('a server without the option has no such page', async () => {
  const plain = await runServer()
  try {
    const visitor = await browserOf(plain, 'demo')
    expect((await visitor('/account/tokens')).status).toBe(404)
    expect((await visitor('/account')).html).not.toContain('/account/tokens')
  } finally {
    await plain.close()
  }
})

it('no operator can change or remove the client that stands for all personal access tokens', async () => {
  await server.accounts.setAdmin('demo-account', true)
  const { status, html } = await (await browserOf(server, 'demo'))('/admin/client?id=personal')
  expect([status, html.includes('personal access tokens of all users')]).toEqual([200, true])
  expect(html).not.toMatch(/name="action" value="(remove|update)"/)
})
