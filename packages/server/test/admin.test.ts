import type { Store } from '@grantkit/core'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { auditEntries } from '../src/audit/reading.ts'
import { connected } from './connected.ts'
import { DANA } from './people.ts'
import { type RunningServer, runServer, WITH_API } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** The operator's view: access to it, and its forms. */

const TEACHER = 'teacher-account'
const OF_USER = `/admin/user?id=${TEACHER}`
const PAGES = [
  ...['/admin', '/admin/users', OF_USER, '/admin/clients', '/admin/client?id=x', '/admin/trail'],
  ...['/admin/why', '/admin/why/7K3M-Q2WD'],
]

/** The only script of these pages. */
const OWN_SCRIPT = '<script type="module" src="/assets/local-times.js"></script>'

let server: RunningServer
const open = async (variables = {}, wrapped = (store: Store) => store) => {
  const opened = await runServer(variables, {}, { ...WITH_API, wrapped })
  await opened.accounts.setAdmin(DANA.id, true)
  return opened
}
beforeAll(async () => {
  server = await open()
})
afterAll(() => server.close())
afterEach(() => void vi.useRealTimers())

/** For the current test, in place of the server of all others. */
async function onItsOwn(...given: Parameters<typeof open>): Promise<void> {
  const shared = server
  server = await open(...given)
  onTestFinished(async () => {
    await server.close()
    server = shared
  })
}

/** A signed-in user who sends requests that no browser would send. */
async function visitor(word = 'demo') {
  const cookie = await sessionCookie(server.baseUrl, `${word}@example.com`, word)
  const visit = (path: string, form?: Record<string, string>, headers = {}) =>
    fetch(`${server.baseUrl}${path}`, {
      redirect: 'manual',
      headers: { cookie, ...headers },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
  const textOf = async (path: string) => (await visit(path)).text()
  const tokenOf = async (path: string) => /name="token" value="([^"]+)"/.exec(await textOf(path))?.[1] ?? ''
  return { visit, textOf, tokenOf }
}

const forms = (id: string) =>
  [
    [OF_USER, { action: 'disable' }],
    [OF_USER, { action: 'end_grants' }],
    [OF_USER, { action: 'end_session' }],
    [`/admin/client?id=${id}`, { action: 'remove' }],
  ] as const

/** An app with a grant of the teacher. */
async function teachersApp(name = 'A tool') {
  const app = await signedIn(server.baseUrl, 'notes:read', undefined, 'teacher', name)
  const refresh = async () => {
    const { client_id, refresh_token } = app
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    return (await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })).status
  }
  const call = async () => {
    const headers = { authorization: `Bearer ${app.access_token}` }
    return (await fetch(`${server.baseUrl}/api/notes`, { headers })).status
  }
  return { id: app.client_id, refresh, call }
}

describe("the operator's view", () => {
  it('redirects to the sign-in page without a session, and back afterwards', async () => {
    for (const path of PAGES) {
      const { status, headers } = await fetch(`${server.baseUrl}${path}`, { redirect: 'manual' })
      const location = `/login?${new URLSearchParams({ return_to: path })}`
      expect([path, status, headers.get('location')]).toEqual([path, 303, location])
    }
  })

  it('answers a user without the admin mark with the 404 of a path that does not exist', async () => {
    const { visit } = await visitor('teacher')
    const nowhere = await visit('/nowhere')
    for (const path of PAGES) {
      const answer = await visit(path)
      expect([path, answer.status, await answer.text()]).toEqual([path, 404, await nowhere.clone().text()])
    }
    const { id } = await teachersApp()
    for (const [path, fields] of forms(id)) expect((await visit(path, fields)).status).toBe(404)
  })

  it('is a link of the account page, for admins alone', async () => {
    const link = '<a href="/admin">'
    expect(await (await visitor()).textOf('/account')).toContain(link)
    const other = await (await visitor('teacher')).textOf('/account')
    expect(other).toContain('Your account')
    expect(other).not.toContain(link)
  })

  it('signs out an admin whose right is removed, and gives their next session no admin pages', async () => {
    const { visit, tokenOf } = await visitor()
    const token = await tokenOf(OF_USER)
    expect((await visit('/admin')).status).toBe(200)
    await server.accounts.setAdmin(DANA.id, false)
    onTestFinished(async () => void (await server.accounts.setAdmin(DANA.id, true)))
    expect((await visit('/admin')).status).toBe(303)
    const late = await visit(OF_USER, { token, action: 'disable' })
    expect([late.status, (await server.directory.find(TEACHER))?.state]).toEqual([303, 'active'])
    expect((await (await visitor()).visit('/admin')).status).toBe(404)
  })

  it.each([
    ['without its token', '', {}],
    ['with the token of the account page', '/account', {}],
    ['from another site', OF_USER, { 'sec-fetch-site': 'cross-site' }],
  ] as const)('changes nothing by a form %s', async (_, from, headers) => {
    const app = await teachersApp()
    const { visit, tokenOf } = await visitor()
    await signedIn(server.baseUrl, 'notes:read')
    const token = from && (await tokenOf(from))
    expect(token === '').toBe(from === '')
    for (const [path, fields] of forms(app.id)) {
      const answer = await visit(path, { ...fields, token }, headers)
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining('Nothing was changed'),
      ])
    }
    expect([await app.call(), await app.refresh()]).toEqual([200, 200])
  })

  it('changes nothing five minutes after the sign-in, and shows no button then', async () => {
    const app = await teachersApp()
    const { visit, tokenOf, textOf } = await visitor()
    const token = await tokenOf(OF_USER)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60 * 1000 })
    for (const [path, fields] of forms(app.id)) {
      const answer = await visit(path, { ...fields, token })
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('sign in again')])
      expect(await textOf(path)).not.toContain('name="token"')
    }
    expect(await app.call()).toBe(200)
  })

  it('does not let an admin disable their own account', async () => {
    const { visit, tokenOf } = await visitor()
    const path = '/admin/user?id=demo-account'
    const answer = await visit(path, { token: await tokenOf(path), action: 'disable' })
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('your own account')])
    expect((await visit('/admin')).status).toBe(200)
  })

  it('shows where a user is signed in', async () => {
    const { textOf } = await visitor()
    expect(await textOf('/admin/user?id=demo-account')).toMatch(
      /aria-label="Signed in"[\s\S]*UTC[\s\S]*password[\s\S]*127\.0\.0\.0\/24/,
    )
  })

  it('escapes the input of unauthenticated callers', async () => {
    const script = '"><script>alert(1)</script>'
    const app = await teachersApp(script)
    const { textOf } = await visitor()
    const request = `%22%3E%3Cscript%3Ealert(1)%3C/script%3E%00`
    for (const path of [
      ...PAGES,
      `/admin/client?id=${app.id}`,
      `/admin/client?id=${request}`,
      `/admin/user?id=${request}`,
      `/admin/users?email=${request}&after=${request}`,
      `/admin/trail?type=${request}&user=${request}&client=${request}&after=${request}`,
    ])
      expect((await textOf(path)).replace(OWN_SCRIPT, ''), path).not.toContain('<script')
    expect(await textOf(`/admin/client?id=${app.id}`)).toContain('&lt;script&gt;')
    expect(server.errors).toEqual([])
  })

  it('marks a known client, and one with optional PKCE', async () => {
    const portal = { clientName: 'Portal', redirectUris: ['https://portal.example/cb'] }
    const { textOf } = await visitor()
    const pageOf = async (client: Parameters<typeof server.clients.add>[0]) =>
      textOf(`/admin/client?id=${(await server.clients.add(client)).clientId}`)
    expect(await pageOf({ ...portal, pkceOptional: true })).toContain('leave out PKCE')
    expect(await pageOf({ ...portal, pkceOptional: true, nonceOptional: true })).toContain(
      'leave out PKCE and nonce',
    )
    expect(await pageOf(portal)).not.toMatch(/leave out PKCE|Known client/)
    expect(await pageOf({ known: 'claude' })).toContain('<dt>Known client</dt><dd>Claude (<code>claude')
  })

  it('has a page for unknown ids', async () => {
    const { visit } = await visitor()
    for (const path of [
      '/admin/user',
      '/admin/user?id=x',
      '/admin/client',
      `/admin/client?id=${'x'.repeat(600)}`,
    ])
      expect([path, (await visit(path)).status]).toEqual([path, 404])
  })
})

describe('the removal of a client with more grants than a request can wait for', () => {
  it('responds when the client is removed, and continues until all grants are revoked', async () => {
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await onItsOwn({}, (store) => ({
      ...store,
      grants: {
        ...store.grants,
        async *scan() {
          await held
          yield* store.grants.scan()
        },
      },
    }))
    const app = await teachersApp()
    const { visit, tokenOf, textOf } = await visitor()
    const path = `/admin/client?id=${app.id}`
    const answer = await visit(path, { token: await tokenOf(path), action: 'remove' })
    expect([answer.status, await app.refresh()]).toEqual([303, 401])
    expect(await textOf(path)).toContain('its grants end one after another')
    expect(await app.call(), 'its grant is not found yet').toBe(200)
    letGo()
    await expect.poll(() => app.call()).toBe(401)
    await expect.poll(() => textOf(path)).toMatch(/A client was removed.*admin .*demo@example\.com/s)
  })
})

onEachDatabase((newDatabase) => {
  describe('an operator', () => {
    it('revokes grants, disables and enables users and removes clients, and the trail names the operator', async () => {
      const url = await newDatabase()
      await onItsOwn({ DATABASE_URL: url })
      const [one, two, three] = [await teachersApp(), await teachersApp(), await teachersApp()]
      const { visit, tokenOf, textOf } = await visitor()
      const token = await tokenOf(OF_USER)
      const act = async (path: string, fields: Record<string, string>) => {
        const { status, headers } = await visit(path, { token, ...fields })
        const location = headers.get('location') ?? ''
        expect([status, location]).toEqual([303, expect.stringContaining(`${path}&notice=`)])
        return /role="status">([^<]+)/.exec(await textOf(location))?.[1]
      }
      const grants = (await server.grants.list(TEACHER)).grants
      const grant = grants.find(({ clientId }) => clientId === one.id)?.id ?? ''
      expect(await act(OF_USER, { action: 'end_grant', grant })).toBe('The grant has ended.')
      expect([await one.call(), await two.call(), await three.call()]).toEqual([401, 200, 200])
      const removed = await act(`/admin/client?id=${two.id}`, { action: 'remove' })
      expect(removed).toBe('The client is removed.')
      expect([await two.call(), await two.refresh(), await three.call()]).toEqual([401, 401, 200])
      expect(await act(OF_USER, { action: 'end_grants' })).toBe('All grants have ended.')
      expect([await three.call(), (await server.grants.list(TEACHER)).grants]).toEqual([401, []])
      const four = await teachersApp()
      const browsers: string[] = []
      for (const _ of ['one', 'other'])
        browsers.push(await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher'))
      const accounts = (): Promise<number[]> =>
        Promise.all(
          browsers.map(async (cookie) => {
            const account = fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
            return (await account).status
          }),
        )
      // The latest session is the first of the list.
      const [, session = ''] = /name="session" value="([^"]+)"/.exec(await textOf(OF_USER)) ?? []
      const signedOut = await act(OF_USER, { action: 'end_session', session })
      expect(signedOut).toBe('The user is signed out in that browser.')
      expect(await accounts()).toEqual([200, 303])
      const gone = await visit(OF_USER, { token, action: 'end_session', session })
      expect([gone.status, await gone.text()]).toEqual([403, expect.stringContaining('no such session')])
      const disabled = await act(OF_USER, { action: 'disable' })
      expect(disabled).toBe('The account is disabled, and its grants have ended.')
      expect([await four.call(), await accounts()]).toEqual([401, [303, 303]])
      expect(await textOf(OF_USER)).toContain('Enable')
      expect(await act(OF_USER, { action: 'enable' })).toBe('The account is enabled.')
      expect((await server.directory.find(TEACHER))?.state).toBe('active')

      // It flushes the queue.
      await textOf('/admin/trail')
      const database = await connected(url)
      const actor = 'account:demo-account'
      const done: unknown[] = []
      for await (const { type, clientId, by, ...facts } of auditEntries(database, {}))
        if (facts.actor === actor) done.push({ type, clientId, by })
      expect(done).toEqual([
        { type: 'grant_revoked', clientId: one.id, by: 'operator' },
        { type: 'grant_revoked', clientId: two.id, by: 'operator' },
        { type: 'client_removed', clientId: two.id },
        { type: 'grant_revoked', clientId: three.id, by: 'operator' },
        { type: 'signed_out', by: 'operator' },
        { type: 'account_disabled' },
        { type: 'grant_revoked', clientId: four.id, by: 'operator' },
        { type: 'account_enabled' },
      ])
    })

    it('finds users and clients, and reads the trail page by page', async () => {
      await onItsOwn({ DATABASE_URL: await newDatabase() })
      const app = await teachersApp('Course browser')
      await server.clients.add({ clientName: 'Zap', redirectUris: ['https://zap.example/cb'] })
      const { textOf } = await visitor()
      expect(await textOf('/admin/users?email=Teach')).toMatch(/teacher@example\.com/)
      expect(await textOf('/admin/users?email=Teach')).not.toContain(`id=${DANA.id}`)
      const clients = await textOf('/admin/clients')
      expect(clients).toMatch(/Course browser.*registered itself.*A user approved an app/s)
      expect(clients).toMatch(/Zap.*added by an operator/s)
      const added = await textOf('/admin/clients?kind=added&range=1h')
      expect(added).toContain('Zap')
      expect(added).not.toContain('Course browser')
      expect(await textOf(`/admin/client?id=${app.id}`)).toMatch(
        /registered itself.*127\.0\.0\.1:49200\/callback/s,
      )
      const overview = await textOf('/admin')
      expect(overview).toMatch(/Store.*answers in.*Database.*answers in.*RS256, less than a day.*signs now/s)
      const ofTeacher = await textOf('/admin/trail?user=teacher@example.com&type=consent_granted&range=1h')
      expect(ofTeacher).toMatch(/<span title="consent_granted">.*teacher@example\.com.*Course browser/s)
      expect(await textOf('/admin/trail?user=unknown@example.com')).toContain('nothing of that kind')
      let path: string | undefined = '/admin/trail?type=sign_in_succeeded'
      for (let n = 0; n < 51; n++) await sessionCookie(server.baseUrl)
      const seen: string[] = []
      while (path !== undefined) {
        const page = await textOf(path)
        seen.push(...[...page.matchAll(/<code>([0-9a-f-]{36})<\/code>/g)].map(([, id = '']) => id))
        path = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
      }
      expect(seen.length).toBeGreaterThan(51)
      expect(new Set(seen).size).toBe(seen.length)
    })
  })
})
