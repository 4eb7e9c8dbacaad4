import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lintOpenApi, typedClient } from '@grantkit/test-servers/openapi-tools'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shellLines } from '../../../docs/test/shell-lines.ts'
import { auditTrail } from '../src/audit/trail.ts'
import { directory } from '../src/config/users.ts'
import { DANA, THEO } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { appOf, browserOf } from './signed-in-browser.ts'

/** Every action of the admin API, through the client that a tool generates from its document. */

let server: RunningServer
let folder: string
// biome-ignore lint/suspicious/noExplicitAny: it is generated, and compiled by a test
let api: any
let generated: Awaited<ReturnType<typeof typedClient>>
let job: string
beforeAll(async () => {
  server = await runServer({ ADMIN_API: 'on', CLIENT_CREDENTIALS: 'on', INITIAL_ACCESS_TOKENS: 'on' })
  folder = await mkdtemp(join(tmpdir(), 'grantkit-admin-api-'))
  const client = await addJob('admin:read admin:write')
  job = client.clientId
  generated = await typedClient(await document(), folder)
  const { Api } = await import(generated.path)
  const headers = { authorization: `Bearer ${await tokenOf(client)}` }
  api = new Api({ baseUrl: `${server.baseUrl}/admin/api`, baseApiParams: { headers } })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const document = async () => (await fetch(`${server.baseUrl}/admin/api/openapi.json`)).json()

/** A client of the operator with its own tokens. */
function addJob(scope: string, { clients } = server) {
  return clients.add({
    clientName: 'Nightly job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: scope.split(' '),
    tokenEndpointAuthMethod: 'client_secret_basic',
  })
}

interface Credentials {
  readonly clientId: string
  readonly clientSecret?: string | undefined
}

async function tokenOf(
  client: Credentials,
  resource = `${server.baseUrl}/admin/api`,
  { baseUrl } = server,
): Promise<string> {
  const authorization = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(resource && { resource }) })
  const sent = { method: 'POST', headers: { authorization }, body }
  return (await (await fetch(`${baseUrl}/api/oauth/token`, sent)).json()).access_token
}

/** The status and the body of an answer, whether the client throws it or not. */
async function said(call: Promise<{ status: number; data: unknown; error: unknown }>) {
  const { status, data, error } = await call.catch((thrown) => thrown)
  return { status, body: data ?? error }
}

/** A person with an app that an operator added. */
async function addedAppOf(word: string, scope: string, resource?: string) {
  const client = await server.clients.add({
    clientName: 'Console',
    scopes: scope.split(' '),
    redirectUris: ['http://127.0.0.1:7001/callback'],
    tokenEndpointAuthMethod: 'none',
  })
  const app = await appOf(server, word, { client })
  return { clientId: client.clientId, ...(await app.tokens(scope, { resource })) }
}

describe('the document of the admin API', () => {
  it('is an OpenAPI document by the strict rules of a linter, and its client compiles', async () => {
    expect(await lintOpenApi(await document(), folder)).toMatchObject({ valid: true })
    expect(generated).toMatchObject({ valid: true })
  })
})

describe('users', () => {
  it('are added once for a sub of your own, read, found and removed', async () => {
    const ada = { sub: 'ada/1', email: 'Ada@example.com', name: 'Ada', password: 'a long password' }
    const added = await said(api.users.addUser(ada))
    expect(added).toMatchObject({
      status: 201,
      body: { sub: 'ada/1', email: 'ada@example.com', state: 'active', admin: false, has_password: true },
    })
    expect(await said(api.users.addUser(ada))).toEqual({ ...added, status: 200 })
    expect(await said(api.users.addUser({ ...ada, sub: 'ada/2' }))).toMatchObject({ status: 409 })
    const path = encodeURIComponent('ada/1')
    expect(await said(api.users.readUser(path))).toMatchObject({ body: { passkeys: [], identities: [] } })
    for (const query of [{ email: 'ADA@example.com' }, { prefix: 'ad' }])
      expect(await said(api.users.listUsers(query))).toMatchObject({ body: { items: [{ sub: 'ada/1' }] } })
    for (const _ of ['once', 'again'])
      expect(await said(api.users.removeUser(path))).toMatchObject({ status: 204 })
    expect(await said(api.users.readUser(path))).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect(await said(api.users.addUser(ada))).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })

  it('are listed page by page', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { data } = await api.users.listUsers({ limit: 1, cursor })
      seen.push(...data.items.map(({ email }: { email: string }) => email))
      cursor = data.next_cursor
    } while (cursor !== undefined)
    expect(seen).toEqual(['demo@example.com', 'teacher@example.com'])
  })

  it('are disabled with their grants, and a repeated change ends no session', async () => {
    const { access_token } = await addedAppOf('teacher', 'openid')
    const userInfo = async () => {
      const headers = { authorization: `Bearer ${access_token}` }
      return (await fetch(`${server.baseUrl}/api/oauth/userinfo`, { headers })).status
    }
    const epoch = async () => (await server.accounts.find('teacher-account'))?.sessionEpoch
    expect(await userInfo()).toBe(200)
    for (const _ of ['once', 'again'])
      expect(await said(api.users.disableUser('teacher-account'))).toMatchObject({ status: 204 })
    expect(await userInfo()).toBe(401)
    expect(await said(api.users.readUser('teacher-account'))).toMatchObject({ body: { state: 'disabled' } })
    await api.users.enableUser('teacher-account')
    const before = await epoch()
    expect(await said(api.users.enableUser('teacher-account'))).toMatchObject({ status: 204 })
    expect(await epoch()).toBe(before)
    await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
    const sessions = () => said(api.users.listSessions('teacher-account'))
    expect(await sessions()).toMatchObject({ status: 200, body: { items: [{ signed_in_by: 'password' }] } })
    const [{ id }] = (await sessions()).body.items
    for (const [sub, status] of [
      ['demo-account', 404],
      ['teacher-account', 204],
      ['teacher-account', 404],
    ])
      expect(await said(api.users.endSession(sub, id))).toMatchObject({ status })
    await sessionCookie(server.baseUrl, 'teacher@example.com', 'teacher')
    expect(await said(api.users.endSessions('teacher-account'))).toMatchObject({ status: 204 })
    expect(await epoch()).not.toBe(before)
    expect(await sessions()).toMatchObject({ body: { items: [] } })
  })

  it('get a password and the admin mark', async () => {
    await api.users.setPassword('teacher-account', { password: 'teacher-2' })
    expect(await server.accounts.verify('teacher@example.com', 'teacher-2')).toBeDefined()
    // 1000 characters, of two UTF-16 units each.
    const long = '🦊'.repeat(1000)
    expect(await said(api.users.setPassword('teacher-account', { password: long }))).toMatchObject({
      status: 204,
    })
    for (const admin of [true, false]) {
      await (admin ? api.users.addAdmin : api.users.removeAdmin)('teacher-account')
      expect(await said(api.users.readUser('teacher-account'))).toMatchObject({ body: { admin } })
    }
    for (const action of [
      'disableUser',
      'enableUser',
      'addAdmin',
      'removeAdmin',
      'endSessions',
      'listSessions',
    ])
      expect(await said(api.users[action]('nobody')), action).toMatchObject({ status: 404 })
  })
})

describe('grants', () => {
  it('are listed and ended, one of them or all', async () => {
    const apps = [
      await addedAppOf('demo', 'notes:read'),
      await addedAppOf('demo', 'notes:read'),
      await addedAppOf('demo', 'openid'),
    ]
    const { data: first } = await api.users.listGrants('demo-account', { limit: 2 })
    const { data: rest } = await api.users.listGrants('demo-account', { limit: 2, cursor: first.next_cursor })
    const all = [...first.items, ...rest.items]
    expect(all.map(({ client_id }) => client_id).sort()).toEqual(apps.map(({ clientId }) => clientId).sort())
    expect(all[0]).toMatchObject({ client_name: 'Console', scopes: expect.any(Array), resources: [] })
    for (const _ of ['once', 'again'])
      expect(await said(api.users.revokeGrant('demo-account', all[0].id))).toMatchObject({ status: 204 })
    const { data: left } = await api.users.listGrants('demo-account', {})
    expect(left.items.map(({ id }: { id: string }) => id)).toEqual([all[1].id, all[2].id])
    await api.users.revokeGrants('demo-account')
    expect(await said(api.users.listGrants('demo-account', {}))).toMatchObject({ body: { items: [] } })
  })

  it('are none of an unknown user, whose removal changes nothing', async () => {
    expect(await said(api.users.removeUser('unknown'))).toMatchObject({ status: 204 })
    const user = { sub: 'unknown', email: 'unknown@example.com', name: 'New' }
    expect(await said(api.users.addUser(user))).toMatchObject({ status: 201 })
    await api.users.removeUser('unknown')
  })
})

describe('clients', () => {
  it('are added with a secret that is shown once, read, listed and removed', async () => {
    const portal = {
      client_name: 'Portal',
      redirect_uris: ['https://portal.example/cb'],
      token_endpoint_auth_method: 'client_secret_post',
      scopes: ['notes:read'],
    }
    const { data: added } = await api.clients.addClient(portal)
    expect(added).toMatchObject({ ...portal, origin: 'integration', client_secret: expect.any(String) })
    const { data: shown } = await api.clients.readClient(added.client_id)
    expect(shown).toEqual({ ...added, client_secret: undefined })
    const { data: list } = await api.clients.listClients()
    expect(list.items).toContainEqual(shown)
    for (const _ of ['once', 'again'])
      expect(await said(api.clients.removeClient(added.client_id))).toMatchObject({ status: 204 })
    expect(await said(api.clients.readClient(added.client_id))).toMatchObject({ status: 404 })
  })

  it('are listed if a user allowed them, on a device too', async () => {
    const { clientId: onPage } = await addedAppOf('demo', 'notes:read')
    const { data: tv } = await api.clients.addClient({
      client_name: 'TV',
      redirect_uris: ['https://tv.example/cb'],
    })
    const trail = auditTrail(server.database, { days: 1, onWarning: () => {} })
    const ids = { requestId: 'r', clientId: tv.client_id, subject: 'demo-account', grantId: 'g' }
    trail.onEvent({ type: 'device_approved', ...ids, scopes: [], resources: [] })
    await trail.close()
    const { data } = await api.clients.listClients({ recently: 'allowed' })
    const listed = data.items.map(({ client_id }: { client_id: string }) => client_id)
    expect(listed.slice(0, 2)).toEqual([tv.client_id, onPage])
  })

  it('get the name and the redirect URIs of a known client, and its mark', async () => {
    const { data: added } = await api.clients.addClient({ known: 'cursor' })
    expect(added).toMatchObject({
      client_name: 'Cursor',
      known_client: 'cursor',
      redirect_uris: expect.arrayContaining(['cursor://anysphere.cursor-mcp/oauth/callback']),
    })
    const nameless = { redirect_uris: ['https://app.example/cb'] }
    expect(await said(api.clients.addClient(nameless))).toMatchObject({
      status: 400,
      body: { error_description: expect.stringContaining('client_name') },
    })
  })

  it('have limits that can be set and removed', async () => {
    const limits = { tokens_per_minute: 60, grants_per_hour: 5 }
    const redirect_uris = ['https://portal.example/cb']
    const { data: added } = await api.clients.addClient({ client_name: 'Portal', redirect_uris, ...limits })
    expect(added).toMatchObject(limits)
    const headers = { ...api.baseApiParams?.headers, 'if-match': '*' }
    const update = (body: object) => said(api.clients.updateClient(added.client_id, body, { headers }))
    const { body } = await update({ tokens_per_minute: null })
    expect(body).toMatchObject({ grants_per_hour: 5 })
    expect(body).not.toHaveProperty('tokens_per_minute')
    expect(await update({ grants_per_hour: 0 })).toMatchObject({ status: 400 })
  })

  it('change by the ETag with which they were read, once', async () => {
    const { data: added, headers } = await api.clients.addClient({
      client_name: 'Portal',
      redirect_uris: ['https://portal.example/cb'],
      scopes: ['notes:read'],
      contacts: ['ops@portal.example'],
    })
    const etag = headers.get('etag')
    const read = await api.clients.readClient(added.client_id)
    expect(read.headers.get('etag')).toBe(etag)
    const update = (body: object, tag?: string) =>
      said(
        api.clients.updateClient(added.client_id, body, {
          headers: { ...api.baseApiParams?.headers, ...(tag && { 'if-match': tag }) },
        }),
      )
    const renamed = { client_name: 'Gate', scopes: null, contacts: null }
    expect(await update(renamed), 'without If-Match').toMatchObject({ status: 428 })
    expect(await update(renamed, '"another"')).toMatchObject({ status: 412 })
    const changed = await update(renamed, `"another", ${etag}`)
    expect(changed).toMatchObject({ status: 200, body: { client_name: 'Gate' } })
    expect(changed.body).not.toHaveProperty('scopes')
    expect(await update(renamed, etag), 'again').toMatchObject({ status: 412 })
    const bad = [
      { client_id: 'x' },
      { origin: 'document' },
      { known: 'cursor' },
      { client_name: null },
      { redirect_uris: [] },
    ]
    for (const body of [...bad, { token_endpoint_auth_method: 'none' }])
      expect(await update(body, '*'), JSON.stringify(body)).toMatchObject({ status: 400 })
    const { data } = await api.trail.queryTrail({ client_id: added.client_id, type: 'client_changed' })
    expect(data.items).toMatchObject([
      { facts: { actor: `client:${job}`, members: ['clientName', 'scopes', 'contacts'] } },
    ])
    expect(JSON.stringify(data)).not.toContain('Gate')
  })

  it('get a new secret once for an Idempotency-Key, and lose the older one', async () => {
    const { data: client } = await api.clients.addClient({
      client_name: 'Portal',
      redirect_uris: ['https://portal.example/cb'],
      client_secret_expires_in: 86_400,
    })
    const headers = { ...api.baseApiParams?.headers, 'idempotency-key': 'rotated' }
    const rotate = (body: object, more = {}) =>
      said(api.clients.rotateClientSecret(client.client_id, body, more))
    expect(await rotate({ overlap: 31 * 86_400 })).toMatchObject({ status: 400 })
    const rotated = await rotate({ expires_in: 3600 }, { headers })
    expect(rotated).toMatchObject({
      status: 201,
      body: { client_secret: expect.any(String), client_secret_expires_at: expect.any(Number) },
    })
    const { client_secret: _, client_id, ...ends } = rotated.body
    expect(ends.old_secret_ends_at, 'no later than before').toBe(client.client_secret_expires_at)
    expect(await rotate({ expires_in: 3600 }, { headers })).toMatchObject({ status: 409 })
    expect(await rotate({})).toMatchObject({ status: 409, body: { error: 'conflict' } })
    const { data: shown } = await api.clients.readClient(client_id)
    expect(shown).toMatchObject(ends)
    expect(JSON.stringify(shown)).not.toMatch(/hash/i)
    for (const _ of ['once', 'again'])
      expect(await said(api.clients.dropOldClientSecret(client_id))).toMatchObject({ status: 204 })
    expect(await said(api.clients.dropOldClientSecret('unknown'))).toMatchObject({ status: 404 })
    expect(await said(api.clients.rotateClientSecret('unknown', {}))).toMatchObject({ status: 404 })
    const { data } = await api.trail.queryTrail({ client_id })
    const types = data.items.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['client_old_secret_dropped', 'client_secret_rotated', 'client_added'])
    expect(JSON.stringify(data)).not.toContain(rotated.body.client_secret)
  })

  it('register themselves with a token that an operator makes and ends', async () => {
    const made = await said(
      api.initialAccessTokens.addInitialAccessToken({ label: 'Partner', scopes: ['notes:read'] }),
    )
    expect(made).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^gki_/) } })
    const { id, token } = made.body
    const wrong = [{ label: '' }, { label: 'x', uses: 0 }, { label: 'x', scopes: ['no:such'] }]
    for (const body of wrong)
      expect(await said(api.initialAccessTokens.addInitialAccessToken(body))).toMatchObject({ status: 400 })
    for (const _ of ['once', 'again'])
      expect(await said(api.initialAccessTokens.removeInitialAccessToken(id))).toMatchObject({ status: 204 })
    const { data } = await api.trail.queryTrail({ type: 'initial_access_token_added' })
    expect(data.items).toMatchObject([{ facts: { actor: `client:${job}`, label: 'Partner' } }])
    expect(JSON.stringify(data)).not.toContain(token.split('.')[1])
  })

  it('are added once for an Idempotency-Key, unless the first request failed', async () => {
    const headers = { ...api.baseApiParams?.headers, 'idempotency-key': 'once' }
    const add = (redirect: string) =>
      said(api.clients.addClient({ client_name: 'App', redirect_uris: [redirect] }, { headers }))
    expect(await add('not a URI')).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } })
    expect(await add('https://app.example/cb')).toMatchObject({ status: 201 })
    expect(await add('https://app.example/cb')).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })
})

describe('the service', () => {
  it('shows its health and its signing keys without their private members', async () => {
    const { data } = await api.overview.readOverview()
    expect(data).toMatchObject({ health: { store: { answers: true }, database: { answers: true } } })
    expect(data).toMatchObject({ last_day: { refused: expect.any(Number) }, known_clients_refused: {} })
    const { data: keys } = await api.keys.listKeys()
    expect(keys.items).toEqual(data.keys)
    expect(Object.keys(keys.items[0])).toEqual(['kid', 'alg', 'role', 'made_at'])
  })

  it('names the client that made a change in the audit trail', async () => {
    const since = new Date().toISOString()
    await api.users.addAdmin('demo-account')
    await api.users.removeAdmin('demo-account')
    const query = { sub: 'demo-account', since, limit: 1 }
    const { data: last } = await api.trail.queryTrail(query)
    const { data: first } = await api.trail.queryTrail({ ...query, cursor: last.next_cursor })
    expect([...last.items, ...first.items]).toMatchObject([
      { type: 'account_admin_removed', sub: 'demo-account', facts: { actor: `client:${job}` } },
      { type: 'account_admin_added', sub: 'demo-account', facts: { actor: `client:${job}` } },
    ])
    expect(await said(api.trail.queryTrail({ ...query, until: since }))).toMatchObject({
      body: { items: [] },
    })
  })
})

/** What the forms of the admin pages do, by the page and the value of `action`, and the operation that does it. */
const ACTIONS_OF_PAGES = {
  'user end_grant': 'revokeGrant',
  'user end_session': 'endSession',
  'user end_grants': 'revokeGrants',
  'user disable': 'disableUser',
  'user enable': 'enableUser',
  'client remove': 'removeClient',
  'client rotate_secret': 'rotateClientSecret',
  'client drop_old_secret': 'dropOldClientSecret',
  'client update': 'updateClient',
}

describe('the actions of the admin pages', () => {
  it('are operations of the admin API too', async () => {
    await server.accounts.setPassword('teacher-account', THEO.password)
    for (const scope of ['notes:read', 'openid']) await addedAppOf('teacher', scope)
    await server.accounts.setAdmin('demo-account', true)
    const browse = await browserOf(server, 'demo')
    const found = new Set<string>()
    const collect = async (page: string, query: string) => {
      const { html } = await browse(`/admin/${page}?id=${query}`)
      for (const [, form = ''] of html.matchAll(
        /<form method="post" class="(?:actions|card)">([\s\S]*?)<\/form>/g,
      ))
        found.add(`${page} ${/name="action" value="(\w+)"/.exec(form)?.[1] ?? ''}`)
    }
    await collect('user', 'teacher-account')
    await server.accounts.setDisabled('teacher-account', true)
    await collect('user', 'teacher-account')
    const { clientId } = await addJob('notes:read')
    for (const rotation of [undefined, { overlap: 3600 }]) {
      if (rotation) await server.clients.rotateSecret(clientId, rotation)
      await collect('client', clientId)
    }
    await server.accounts.setDisabled('teacher-account', false)
    await server.accounts.setAdmin('demo-account', false)
    expect([...found].toSorted()).toEqual(Object.keys(ACTIONS_OF_PAGES).toSorted())
    const operations = Object.values((await document()).paths).flatMap((path) =>
      Object.values(path as object),
    )
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids).toEqual(expect.arrayContaining(Object.values(ACTIONS_OF_PAGES)))
  })
})

describe('a request that is wrong', () => {
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { ...api.baseApiParams?.headers, 'content-type': 'application/json', ...init.headers }
    const answer = await fetch(`${server.baseUrl}/admin/api${path}`, { ...init, headers })
    return [answer.status, (await answer.json()).error_description]
  }
  const post = (body: string, type = 'application/json') =>
    call('/users', { method: 'POST', body, headers: { 'content-type': type } })

  it('has a cursor of no page', async () => {
    for (const cursor of ['x', 'Zm9v', 'AAAA', 'eyJhIjoxfQ'])
      for (const path of ['/users', '/users/demo-account/grants', '/clients', '/trail'])
        expect((await call(`${path}?cursor=${cursor}`))[0], `${path} ${cursor}`).toBeLessThan(500)
    expect(server.errors).toEqual([])
  })

  it.each([
    ['short', 'at least 8 characters'],
    // Seven characters, of two UTF-16 units each.
    ['🦊'.repeat(7), 'at least 8 characters'],
    ['x'.repeat(1001), 'at most 1000 characters'],
    ['teacher-3\u0085', 'control characters'],
  ])('has a password that no page accepts either: %j', async (password, fault) => {
    const set = await call('/users/teacher-account/password', {
      method: 'PUT',
      body: JSON.stringify({ password }),
    })
    expect(set).toEqual([400, expect.stringMatching(`^password must .*${fault}$`)])
    const user = { email: 'ida@example.com', name: 'Ida', password }
    expect(await post(JSON.stringify(user))).toEqual(set)
  })

  it('names every fault', async () => {
    const user = { email: 'x', nam: 'Ada' }
    expect(await post(JSON.stringify(user))).toEqual([400, expect.stringMatching(/email.*name.*nam/)])
    expect(await post('{')).toEqual([400, 'The body is not JSON'])
    expect(await post('a=b', 'application/x-www-form-urlencoded')).toEqual([
      415,
      'The body must be application/json',
    ])
    expect(await post('x'.repeat(70_000))).toEqual([413, expect.stringContaining('64 KiB')])
    for (const query of ['limit=0', 'limit=1&limit=2', 'cursor=%00', 'unknown=1', 'email='])
      expect(await call(`/users?${query}`), query).toEqual([400, expect.any(String)])
    expect(await call('/trail?since=yesterday')).toEqual([400, expect.stringContaining('2026-01-31')])
    expect(server.errors).toEqual([])
  })
})

describe('who may use the admin API', () => {
  const get = async (token?: string, path = '/users', method = 'GET') => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await fetch(`${server.baseUrl}/admin/api${path}`, { method, headers })
    const body = answer.status === 204 ? {} : await answer.json()
    return { status: answer.status, error: body.error, text: body.error_description }
  }
  const ADMIN = () => `${server.baseUrl}/admin/api`
  const INVALID = { status: 401, error: 'invalid_token' }
  const refused = (words: string) => ({ status: 403, text: expect.stringContaining(words) })

  it('is nobody without a token for it', async () => {
    for (const token of [undefined, 'bad']) expect(await get(token)).toMatchObject(INVALID)
    const client = await addJob('admin:read')
    expect(await get(await tokenOf(client, server.baseUrl))).toMatchObject(INVALID)
    expect(await get(await tokenOf(client, ''))).toMatchObject(refused('resource'))
    expect(await get(await tokenOf(client))).toMatchObject({ status: 200 })
    await server.clients.remove(client.clientId)
    expect(await get(await tokenOf(client))).toMatchObject({ status: 401 })
  })

  it('needs admin:write for a change', async () => {
    const token = await tokenOf(await addJob('admin:read'))
    const insufficient = { status: 403, error: 'insufficient_scope' }
    expect(await get(token, '/users/demo-account', 'DELETE')).toMatchObject(insufficient)
    expect(await get(token, '/users/demo-account')).toMatchObject({ status: 200 })
  })

  it('is a user as long as they are an admin, but not for their own account', async () => {
    const tokenNow = async () =>
      (await addedAppOf('demo', 'admin:read admin:write', ADMIN())).access_token ?? ''
    const before = await tokenNow()
    expect(await get(before)).toMatchObject(refused('no admin'))
    await server.accounts.setAdmin('demo-account', true)
    expect(await get(before)).toMatchObject({ status: 401 })
    const token = await tokenNow()
    expect(await get(token)).toMatchObject({ status: 200 })
    for (const path of ['', '/admin']) {
      const own = await get(token, `/users/demo-account${path}`, 'DELETE')
      expect(own).toMatchObject(refused('your own account'))
    }
    await server.accounts.setAdmin('demo-account', false)
    expect(await get(token)).toMatchObject({ status: 401 })
  })
})

describe('where a directory has the users', () => {
  it('adds no account and sets no password, which would shut the user out, and removes users', async () => {
    const users = directory({ find: async () => undefined, verifyPassword: async () => undefined })
    const other = await runServer({ ADMIN_API: 'on', CLIENT_CREDENTIALS: 'on' }, { users })
    await other.accounts.add(DANA)
    const resource = `${other.baseUrl}/admin/api`
    const token = await tokenOf(await addJob('admin:write', other), resource, other)
    const send = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      return (await fetch(`${resource}${path}`, init)).status
    }
    expect([
      await send('POST', '/users', { sub: '42', email: 'ada@example.com', name: 'Ada' }),
      await send('PUT', '/users/demo-account/password', { password: 'a long password' }),
      await send('DELETE', '/users/demo-account'),
    ]).toEqual([409, 409, 204])
    await other.close()
  })
})

describe('with DPoP', () => {
  it('a token that is bound to a key needs a proof of it', async () => {
    const bound = await runServer({ ADMIN_API: 'on', CLIENT_CREDENTIALS: 'on', DPOP: 'required' })
    const { clientId, clientSecret } = await addJob('admin:read', bound)
    const config = await oidc.discovery(
      new URL(bound.baseUrl),
      clientId,
      {},
      oidc.ClientSecretBasic(clientSecret),
      { execute: [oidc.allowInsecureRequests] },
    )
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
    const resource = `${bound.baseUrl}/admin/api`
    const { access_token } = await oidc.clientCredentialsGrant(config, { resource }, { DPoP })
    const keys = new URL(`${resource}/keys`)
    const answer = await oidc.fetchProtectedResource(config, access_token, keys, 'GET', null, undefined, {
      DPoP,
    })
    expect(answer.status).toBe(200)
    const stolen = await fetch(keys, { headers: { authorization: `Bearer ${access_token}` } })
    expect([stolen.status, stolen.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('DPoP'),
    ])
    await bound.close()
  })
})

describe('the guide of the admin API', () => {
  it('adds a client, whose requests succeed', async () => {
    const lines = shellLines().flatMap(({ page, line }) => (page.endsWith('/admin-api.md') ? [line] : []))
    const variables = 'ADMIN_API=on CLIENT_CREDENTIALS=on npx grantkit '
    const command = lines.find((line) => line.startsWith(`${variables}clients add`)) ?? ''
    const words = command.slice(variables.length).match(/'[^']*'|\S+/g) ?? []
    const { output } = await ranCommand(
      server,
      words.map((word) => word.replaceAll("'", '')),
    )
    const added = JSON.parse(output)
    expect(added).toMatchObject({ client_credentials_scopes: ['admin:read', 'admin:write'] })
    const requests = lines.filter((line) => line.includes('curl'))
    expect(requests.length).toBeGreaterThan(5)
    const script = requests.join('\n').replaceAll('http://127.0.0.1:3000', server.baseUrl)
    const { PATH = '' } = process.env
    const env = { PATH, CLIENT: `${added.client_id}:${added.client_secret}` }
    await promisify(execFile)('sh', ['-ec', script], { env })
  })
})

describe('without ADMIN_API', () => {
  it('no scope, no resource and no path of it exists', async () => {
    const plain = await runServer()
    const texts = ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'].map(
      async (path) => (await fetch(`${plain.baseUrl}${path}`)).text(),
    )
    expect((await Promise.all(texts)).join()).not.toContain('admin')
    const gone = ['/admin/api/users', '/.well-known/oauth-protected-resource/admin/api'].map(
      async (path) => (await fetch(`${plain.baseUrl}${path}`)).status,
    )
    expect(await Promise.all(gone)).toEqual([404, 404])
    await plain.close()
  })
})
