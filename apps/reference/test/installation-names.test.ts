import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import { installationNames } from '../src/oauth/installation-names.ts'
import { connected, onBothDatabases } from './on-both-databases.ts'
import { type RunningService, runService } from './service.ts'
import { signedIn } from './tokens.ts'
import { sessionCookie } from './user.ts'

/** What a user calls an installation of an app, on the account page. */

onBothDatabases((newDatabase) => {
  const open = async () => {
    const database = await connected(await newDatabase())
    return { database, names: installationNames(database) }
  }

  it('has one name for an installation of a user, and takes it back', async () => {
    const { names } = await open()
    await names.give('alice', 'one', 'Old laptop')
    await names.give('alice', 'one', 'New laptop')
    await names.give('alice', 'other', 'Phone')
    await names.give('bob', 'one', "Bob's")
    const given = ['one', 'other', 'unnamed']
    expect([...(await names.of('alice', given))].sort()).toEqual([
      ['one', 'New laptop'],
      ['other', 'Phone'],
    ])
    expect([...(await names.of('alice', ['other']))]).toEqual([['other', 'Phone']])
    await names.forget('alice', 'one')
    expect([await names.of('alice', given), await names.of('alice', [])]).toEqual([
      new Map([['other', 'Phone']]),
      new Map(),
    ])
    expect(await names.of('bob', given)).toEqual(new Map([['one', "Bob's"]]))
  })

  it('forgets those of an account that is removed', async () => {
    const { database, names } = await open()
    const accounts = accountRows(database, () => {})
    const id = randomUUID()
    await accounts.add({ id, email_verified: false, name: 'Alice', updated_at: 0, password: '' })
    await names.give(id, 'one', 'Laptop')
    await accounts.remove(id)
    expect(await database.selectFrom('installation_name').selectAll().execute()).toEqual([])
  })
})

describe('the account page', () => {
  let service: RunningService
  let cookie: string
  beforeAll(async () => {
    service = await runService()
    cookie = await sessionCookie(service.baseUrl)
  })
  afterAll(() => service.close())

  const account = async () => (await fetch(`${service.baseUrl}/account`, { headers: { cookie } })).text()
  const namesOn = (page: string) =>
    [...page.matchAll(/<h3 class="app-name"><bdi>([^<]*)/g)].map(([, name]) => name)

  async function submit(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(await account()) ?? []
    const body = new URLSearchParams({ token, ...fields })
    const sent = { cookie, ...headers }
    return fetch(`${service.baseUrl}${path}`, { method: 'POST', redirect: 'manual', headers: sent, body })
  }
  const give = (installation: string, name: string, extra = {}, headers = {}) =>
    submit('/account/apps/name', { installation, name, ...extra }, headers)

  it('shows what its user calls an app, and what the app calls itself', async () => {
    const app = await signedIn(service.baseUrl, 'courses:read')
    const answer = await give(app.client_id, ` Old <laptop>${'x'.repeat(100)}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    const page = await account()
    expect(namesOn(page)).toEqual([`Old &lt;laptop&gt;${'x'.repeat(48)}`])
    expect(page).toContain('It calls itself <bdi>A tool</bdi>')
  })

  it('keeps the name when tokens are refreshed, and when the client is removed', async () => {
    const app = await signedIn(service.baseUrl, 'courses:read')
    await give(app.client_id, 'Kept')
    const { client_id, refresh_token } = app
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    expect((await fetch(`${service.baseUrl}/api/oauth/token`, { method: 'POST', body })).status).toBe(200)
    expect(namesOn(await account())).toContain('Kept')
    await service.store.clients.remove(client_id)
    expect(namesOn(await account())).toContain('Kept')
  })

  it('forgets it with the app', async () => {
    const app = await signedIn(service.baseUrl, 'courses:read')
    await give(app.client_id, 'Short-lived')
    await submit('/account', { installation: app.client_id })
    const page = await account()
    expect(namesOn(page)).not.toContain('Short-lived')
    expect(await give(app.client_id, 'Gone').then(({ status }) => status)).toBe(303)
    expect(await account()).not.toContain('Gone')
  })

  it('names nothing by a form of another page, of nobody, or for another user', async () => {
    const app = await signedIn(service.baseUrl, 'courses:read')
    expect((await give(app.client_id, 'Evil', { token: 'x' })).status).toBe(403)
    expect((await give(app.client_id, 'Evil', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await give(app.client_id, 'Evil', {}, { cookie: '' })).headers.get('location')).toMatch(
      /^\/login/,
    )
    const theirs = await signedIn(service.baseUrl, 'courses:read', undefined, 'teacher')
    expect((await give(theirs.client_id, 'Evil')).status).toBe(303)
    expect(await account()).not.toContain('Evil')
  })

  it('has a card for each installation of an app with a document, which all of them share', async () => {
    const { client_id } = await signedIn(service.baseUrl, 'courses:read')
    const found = (await service.store.grants.list({ subject: 'demo-account' }, { limit: 200 })).grants
    const grant = found.find(({ clientId }) => clientId === client_id)
    if (grant === undefined) throw new Error('Nobody is signed in')
    for (const word of ['laptop', 'phone']) {
      const id = `document-grant-${word}` as typeof grant.id
      const clientId = 'https://editor.example/client.json'
      await service.store.grants.insert(id, { ...grant, id, clientId }, grant.expiresAt)
    }
    await give('document-grant-phone', 'My phone')
    expect(await account()).toContain('My phone')
    await submit('/account', { installation: 'document-grant-laptop' })
    const page = await account()
    expect([page.includes('document-grant-laptop'), namesOn(page).includes('My phone')]).toEqual([
      false,
      true,
    ])
  })
})
