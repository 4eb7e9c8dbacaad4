import { afterAll, beforeAll, expect, it } from 'vitest'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** What an operator is refused is the same by the admin API and by a command. */

let server: RunningServer
let token: string
beforeAll(async () => {
  server = await runServer({ ADMIN_API: 'on', CLIENT_CREDENTIALS: 'on' })
  const { clientId, clientSecret } = await server.clients.add({
    clientName: 'Job',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: ['admin:read', 'admin:write'],
  })
  const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` }
  const resource = `${server.baseUrl}/admin/api`
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource })
  const answer = await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', headers, body })
  token = (await answer.json()).access_token
})
afterAll(() => server.close())

async function call(method: string, path: string, body?: object, more: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(`${server.baseUrl}/admin/api${path}`, init)
  return {
    status: answer.status,
    etag: answer.headers.get('etag'),
    body: await answer.json().catch(() => null),
  }
}

const PORTAL = { client_name: 'Portal', redirect_uris: ['https://portal.example/cb'] }
const FLAGS = ['--name', 'Portal', '--redirect-uri', 'https://portal.example/cb']

it.each([
  [{ dpop_bound_access_tokens: true }, ['--dpop'], '--dpop', 'needs DPOP=on'],
  [{ session_bound: true }, ['--session-bound'], '--session-bound', 'needs BACK_CHANNEL_LOGOUT=on'],
  [
    { grant_types: ['client_credentials'] },
    ['--grant', 'client_credentials'],
    '--redirect-uri',
    'must be empty: client_credentials has no redirect',
  ],
] as const)('refuses %j as %j', async (members, flags, flag, words) => {
  expect(await call('POST', '/clients', { ...PORTAL, ...members })).toMatchObject({
    status: 400,
    body: { error_description: expect.stringContaining(words) },
  })
  const { status, errors } = await ranCommand(server, ['clients', 'add', ...FLAGS, ...flags])
  expect([status, errors]).toEqual([2, expect.stringContaining(`${flag} ${words}`)])
})

it('refuses a member that no flag has by the setting that it needs', async () => {
  const answer = await call('POST', '/clients', { ...PORTAL, request_object_signing_alg: 'ES256' })
  expect(answer).toMatchObject({
    status: 400,
    body: { error_description: expect.stringContaining('needs REQUEST_OBJECTS=on') },
  })
})

it('names a member as it was sent, also where core refuses it', async () => {
  for (const members of [
    { token_endpoint_auth_method: 'other' },
    { pkce_optional: true, nonce_optional: 1 },
  ]) {
    const { status, body } = await call('POST', '/clients', { ...PORTAL, ...members })
    expect([status, body.error_description]).toEqual([400, expect.not.stringMatching(/[a-z][A-Z]\w*:/)])
  }
  const { body } = await call('POST', '/clients', PORTAL)
  const changes = { nonce_optional: true }
  const changed = await call('PATCH', `/clients/${body.client_id}`, changes, { 'if-match': '*' })
  expect(changed).toMatchObject({
    status: 400,
    body: {
      error: 'invalid_client_metadata',
      error_description: 'nonce_optional: only together with pkce_optional',
    },
  })
})

it('leaves what the operator sent as it is where core refuses it', async () => {
  const redirect_uris = ['http://app.example/redirectUris']
  expect(await call('POST', '/clients', { ...PORTAL, redirect_uris })).toMatchObject({
    status: 400,
    body: { error_description: expect.stringMatching(/^http:\/\/app\.example\/redirectUris: must be https/) },
  })
})

it('takes an empty list of a feature that is off as none', async () => {
  const none = { token_exchange_resources: [], post_logout_redirect_uris: [] }
  expect(await call('POST', '/clients', { ...PORTAL, ...none })).toMatchObject({
    status: 201,
    body: { grant_types: ['authorization_code', 'refresh_token'] },
  })
})

it('gives a client its first client credentials scopes', async () => {
  const { body } = await call('POST', '/clients', { client_name: 'Gateway', resource_server: true })
  const grant = ['--grant', 'client_credentials', '--scope', 'notes:read', '--json']
  const { status, output, errors } = await ranCommand(server, ['clients', 'update', body.client_id, ...grant])
  expect(status, errors).toBe(0)
  expect(JSON.parse(output)).toMatchObject({ client_credentials_scopes: ['notes:read'] })
})

it('changes a record whose client credentials scopes are one text', async () => {
  const members = { client_name: 'Old job', grant_types: ['client_credentials'] }
  const { body } = await call('POST', '/clients', { ...members, client_credentials_scopes: ['notes:read'] })
  const stored = await server.store.clients.find(body.client_id)
  if (stored === undefined) throw new Error('The client is not stored')
  const { value } = stored
  const featureMetadata = { ...value.featureMetadata, client_credentials_scopes: 'notes:read notes:write' }
  const older = { ...value, featureMetadata }
  await server.store.clients.replace(body.client_id, stored, older, value.expiresAt)
  const grant = ['--grant', 'client_credentials', '--name', 'Job', '--json']
  const updated = await ranCommand(server, ['clients', 'update', body.client_id, ...grant])
  expect(updated.status, updated.errors).toBe(0)
  expect(JSON.parse(updated.output)).toMatchObject({ client_name: 'Job' })
})

it('shows a client by the same names', async () => {
  const { body: added } = await call('POST', '/clients', { ...PORTAL, pkce_optional: true })
  const { client_secret: _, ...client } = added
  const shown = await ranCommand(server, ['clients', 'show', added.client_id, '--json'])
  expect(JSON.parse(shown.output)).toEqual(client)
  expect(client).not.toHaveProperty('expires_at')
  expect((await call('GET', '/clients?limit=100')).body.items).toContainEqual(client)
})

it('changes the client that was seen, and no other', async () => {
  const { body, etag } = await call('POST', '/clients', PORTAL)
  const update = (members: object, tag = etag) =>
    call('PATCH', `/clients/${body.client_id}`, members, { 'if-match': String(tag) })
  const unquoted = String(etag).slice(1, -1)
  for (const tag of [unquoted, `"${unquoted}`, `W/${etag}`])
    expect(await update({ client_name: 'Gate' }, tag), tag).toMatchObject({ status: 412 })
  expect(await update({ client_name: 'Gate', contacts: ['ops@portal.example'] })).toMatchObject({
    status: 200,
  })
  expect(await update({ client_name: 'Late' })).toMatchObject({ status: 412 })
  expect(await update({ contacts: null }, '"x", *')).toMatchObject({ body: { client_name: 'Gate' } })
  expect(await update({ client_name: null }, '*')).toMatchObject({ status: 400 })
  for (const _ of ['once', 'again'])
    expect(await call('DELETE', `/clients/${body.client_id}`)).toMatchObject({ status: 204 })
  expect(await update({ client_name: 'Gone' })).toMatchObject({ status: 404 })
  const withoutMatch = await call('PATCH', `/clients/${body.client_id}`, { client_name: 'Gone' })
  expect(withoutMatch).toMatchObject({ status: 404 })
})

it('rotates a secret within the bounds of a command', async () => {
  const { body } = await call('POST', '/clients', PORTAL)
  const rotate = (members: object) => call('POST', `/clients/${body.client_id}/secret`, members)
  expect(await rotate({ overlap: 31 * 86_400 })).toMatchObject({ status: 400 })
  expect(await rotate({})).toMatchObject({
    status: 201,
    body: { client_secret: expect.any(String), old_secret_ends_at: expect.any(Number) },
  })
})

it('makes no initial access token where registration demands none', async () => {
  expect(await call('POST', '/initial-access-tokens', { label: 'Partner' })).toMatchObject({ status: 409 })
  const { status } = await ranCommand(server, ['clients', 'add-token', '--label', 'Partner'])
  expect(status).toBe(2)
  expect(await call('DELETE', '/initial-access-tokens/unknown')).toMatchObject({ status: 204 })
})

it('describes the members of a client in its OpenAPI document', async () => {
  const { components } = await (await fetch(`${server.baseUrl}/admin/api/openapi.json`)).json()
  const { NewClient, ClientChanges, SecretRotation, NewInitialAccessToken } = components.schemas
  expect(NewInitialAccessToken.properties.scopes).toMatchObject({ minItems: 1, maxItems: 500 })
  expect(NewClient.properties.redirect_uris).toMatchObject({ type: 'array', maxItems: 20 })
  expect(Object.keys(NewClient.properties)).toEqual(
    expect.arrayContaining(['known', 'jwks', 'client_secret_expires_in']),
  )
  expect(Object.keys(ClientChanges.properties)).not.toContain('known')
  expect(SecretRotation.properties.overlap).toMatchObject({ default: 86_400, maximum: 30 * 86_400 })
})
