import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import { installationNames } from '../src/oauth/installation-names.ts'
import { connected, onBothDatabases } from './on-both-databases.ts'
import { type RunningService, runService } from './service.ts'
import { signedIn } from './tokens.ts'
import { sessionCookie } from './user.ts'

/** The names that users give to installations of apps, on the account page. */

/** Epoch seconds. A name stays until its app is disconnected. */
const LATER = 2_000_000_000

onBothDatabases((newDatabase) => {
  const open = async () => {
    const database = await connected(await newDatabase())
    return { database, names: installationNames(database) }
  }

  it('has one name per installation of a user, and removes it', async () => {
    const { names } = await open()
    await names.give('alice', 'one', 'Old laptop', LATER)
    await names.give('alice', 'one', 'New laptop', LATER)
    await names.give('alice', 'other', 'Phone', LATER)
    await names.give('bob', 'one', "Bob's", LATER)
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

  it('deletes those of a removed account', async () => {
    const { database, names } = await open()
    const accounts = accountRows(database, () => {})
    const id = randomUUID()
    await accounts.add({ id, email_verified: false, name: 'Alice', updated_at: 0, password: '' })
    await names.give(id, 'one', 'Laptop', LATER)
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

  it('shows the name that its user gave an app, and its registered name', async () => {
    const app = await signedIn(service.baseUrl, 'courses:read')
    const answer = await give(app.client_id, ` Old <laptop>${'x'.repeat(100)}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    const page = await account()
    expect(namesOn(page)).toEqual([`Old &lt;laptop&gt;${'x'.repeat(48)}`])
    expect(page).toContain('It calls itself <bdi>A tool</bdi>')
  })

  it('renames nothing by a form of another page, without a session, or for another user', async () => {
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
})
