import { createAuthorizationServer, type Feature, type Interaction, OAuthError } from '@grantkit/core'
import {
  type ClientAuthMethod,
  type ClientEndpoint,
  defineErrors,
  type Endpoint,
  formParameters,
  type GrantType,
  json,
  type Kernel,
  newGrantId,
  newSecret,
  readMessage,
  type ServerContext,
  sha256,
} from '@grantkit/core/feature'
import { createMemoryStore } from '@grantkit/store-memory'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, expect, it } from 'vitest'
import * as z from 'zod'
import { errorEntry } from '../../../docs/error-reference.ts'
import type { ServiceDefinition } from '../src/definition.ts'
import { runServer, WITH_API } from './running-server.ts'

/**
 * A feature made of core's public API alone: a grant type, two client authentication methods, an endpoint for clients
 * and one for users with a ticket, a transient record, a rate limit, client metadata, metadata members and errors.
 */

const VOUCHER_ERRORS = defineErrors({
  voucher_void: ['invalid_grant', 'The voucher is void'],
  stamp_void: ['invalid_request', 'The form is void'],
  too_many_stamps: ['temporarily_unavailable', 'Too many stamps; try again later', 429],
})

declare module '@grantkit/core/feature' {
  interface FeatureMetadata {
    readonly example_certificate_subject?: string
  }
}
const VoucherRequest = z.object({ voucher: z.string() })

function voucherGrant({ store, random }: Kernel): GrantType {
  return {
    name: 'urn:example:voucher',
    message: VoucherRequest,
    exchange({ client: { clientId }, form, now }) {
      const { voucher } = readMessage(VoucherRequest, form)
      if (voucher !== 'good') throw new OAuthError(VOUCHER_ERRORS.voucher_void)
      const accessToken = newSecret(random)
      const scopes = ['notes:read']
      const expiresAt = now + 300
      const token = { hash: sha256(accessToken), scopes, resources: [], issuedAt: now, expiresAt }
      const times = { createdAt: now, usedAt: now, expiresAt }
      const id = newGrantId(random)
      const owner = { id, subject: 'user-1', clientId }
      const grant = { ...owner, scopes, resources: [], ...times, accessTokens: [token] }
      return {
        grant,
        issued: { accessToken, scopes, resources: [], expiresIn: 300 },
        commit: () => store.grants.insert(id, grant, expiresAt),
      }
    },
  }
}

const badge: ClientAuthMethod = {
  name: 'badge',
  carrier: 'badge',
  read: (_request, { client_id }, { badge }) => ({
    clientId: client_id,
    verify() {
      if (badge !== 'shown') throw new OAuthError(VOUCHER_ERRORS.voucher_void, 'The badge is not ours')
      return true
    },
  }),
}

/** Has a key and no secret, as `tls_client_auth` (RFC 8705 2.1): a proxy verified the certificate and says its subject. */
const certificate: ClientAuthMethod = {
  name: 'example_tls_client_auth',
  carrier: { header: 'X-Client-Subject' },
  read: ({ headers }, { client_id }) => ({
    clientId: client_id,
    verify({ featureMetadata }) {
      const subject: string | undefined = featureMetadata?.example_certificate_subject
      return headers['x-client-subject'] === subject
    },
  }),
}

/** A form that is valid once, for one session: a ticket, and a transient record of its own kind. */
function stampEndpoint(server: ServerContext): Endpoint {
  const { transients } = server.store
  const tickets = server.tickets('stamp')
  const form = { session: 'alice', query: 'stamp' }
  const StampForm = z.object({ ticket: z.string().optional() })
  return {
    path: '/stamps',
    methods: ['POST'],
    cors: false,
    message: StampForm,
    async answer(request) {
      const { ticket } = readMessage(StampForm, formParameters(request))
      if (ticket === undefined) return json(200, { ticket: tickets.seal(form, server.now() + 60) })
      await server.limiter.limit('stamp', 'alice', VOUCHER_ERRORS.too_many_stamps)
      const end = tickets.open(form, ticket)
      const record = { kind: 'stamp', expiresAt: end ?? 0 }
      if (end === undefined || !(await transients?.insert(sha256(ticket), record, end)))
        throw new OAuthError(VOUCHER_ERRORS.stamp_void)
      return json(200, { stamped: true })
    },
  }
}

function voucherEndpoint({ emit }: Kernel): ClientEndpoint {
  return {
    path: '/api/vouchers',
    metadataName: 'voucher_endpoint',
    summary: 'What a voucher is worth',
    message: VoucherRequest,
    begin(form) {
      const { voucher } = readMessage(VoucherRequest, form)
      return ({ clientId }) => {
        if (voucher !== 'good') throw new OAuthError(VOUCHER_ERRORS.voucher_void)
        emit({ type: 'voucher_looked_at', clientId })
        return json(200, { worth: 'notes:read' })
      }
    },
  }
}

const vouchers: Feature = (server) => ({
  grantTypes: [voucherGrant(server)],
  clientAuthMethods: [badge, certificate],
  clientEndpoints: [voucherEndpoint(server)],
  endpoints: [stampEndpoint(server)],
  metadata: { voucher_colours_supported: ['green'] },
  clientMetadata: (registeredBy) =>
    registeredBy === 'operator' ? { example_certificate_subject: z.string().optional() } : {},
  rateLimits: { stamp: { points: 3, seconds: 60, withoutLimiter: true } },
  errors: VOUCHER_ERRORS,
})

async function openServer(features: readonly Feature[]) {
  const definition: ServiceDefinition = {
    features: () => features,
    mount: WITH_API.definition.mount,
  }
  const server = await runServer({ DATABASE_URL: 'memory:' }, {}, { definition })
  const post = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams(form)
    const answer = await fetch(server.baseUrl + path, { method: 'POST', body, headers })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  const get = async (path: string) => (await fetch(server.baseUrl + path)).json()
  return { server, post, get }
}

const { server, post, get } = await openServer([vouchers])
afterAll(() => server.close())
const { events, baseUrl } = server

/** The metadata of a server with the feature. */
function describedServer() {
  const scopes = { 'notes:read': { description: 'Read your notes' } }
  return createAuthorizationServer({
    ...{ issuer: baseUrl, store: createMemoryStore(), scopes, interaction: {} as Interaction },
    secret: 'a secret of the tests, long enough to pass',
    features: [vouchers],
  }).description
}

/** An integration that may use vouchers. */
const addClient = (tokenEndpointAuthMethod: string, more: object = {}) =>
  server.clients.add({
    clientName: 'Turnstile',
    redirectUris: ['https://turnstile.example/cb'],
    tokenEndpointAuthMethod,
    grantTypes: ['authorization_code', 'urn:example:voucher'],
    ...more,
  })

const withBadge = async () => ({ client_id: (await addClient('badge')).clientId, badge: 'shown' })

const VOUCHER = { grant_type: 'urn:example:voucher', voucher: 'good' }

it('is in the metadata, in generated lists', async () => {
  expect(await get('/.well-known/oauth-authorization-server')).toMatchObject({
    grant_types_supported: ['authorization_code', 'refresh_token', 'urn:example:voucher'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'badge', 'example_tls_client_auth'],
    introspection_endpoint_auth_methods_supported: ['client_secret_post', 'badge', 'example_tls_client_auth'],
    voucher_endpoint: `${baseUrl}/api/vouchers`,
    voucher_colours_supported: ['green'],
  })
})

it('provides tokens, the guard, its endpoint and its events to its clients', async () => {
  const credentials = await withBadge()
  const tokens = await post('/api/oauth/token', { ...credentials, ...VOUCHER })
  expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', scope: 'notes:read', expires_in: 300 })
  expect(await post('/api/vouchers', { ...credentials, voucher: 'good' })).toMatchObject({
    worth: 'notes:read',
  })
  expect(events.map(({ type }) => String(type))).toContain('voucher_looked_at')
  const { access_token } = tokens as { access_token?: string }
  const headers = { authorization: `Bearer ${access_token}` }
  expect((await fetch(`${baseUrl}/api/notes`, { headers })).status).toBe(200)
})

it('is found in the error answers', async () => {
  const credentials = await withBadge()
  const token = (form: Record<string, string>) => post('/api/oauth/token', form)
  expect(await token({ ...credentials, ...VOUCHER, voucher: 'torn' })).toMatchObject({
    status: 400,
    error: 'invalid_grant',
    error_description: expect.stringContaining('The voucher is void'),
  })
  expect(events.findLast(({ type }) => type === 'refused')).toMatchObject({ reason: 'voucher_void' })
  expect(await token({ ...credentials, badge: 'torn', ...VOUCHER })).toMatchObject({
    error_description: expect.stringContaining('The badge is not ours'),
  })
  expect(await token({ ...credentials, client_secret: 'x', ...VOUCHER })).toMatchObject({
    status: 400,
    error: 'invalid_request',
  })
  expect(await token({ ...credentials, grant_type: 'nonsense' })).toMatchObject({
    error: 'unsupported_grant_type',
    error_description: expect.stringContaining(
      'grant_type must be authorization_code or refresh_token or urn:example:voucher',
    ),
  })
})

it('issues no client secret to a client that authenticates by its method', async () => {
  const { clientId, clientSecret } = await addClient('badge')
  expect(clientSecret).toBeUndefined()
  expect(await server.clients.find(clientId)).not.toHaveProperty('secretHash')
})

it('is rate-limited at its endpoint as at all endpoints', async () => {
  const credentials = await withBadge()
  const statuses = new Set<number>()
  for (let n = 0; n < 101; n++)
    statuses.add((await post('/api/vouchers', { ...credentials, voucher: 'torn' })).status)
  expect([...statuses]).toEqual([400, 429])
  expect((await post('/api/vouchers', { ...credentials, voucher: 'good' })).status).toBe(200)
})

it('authenticates a client by a key that is in its metadata, and by no other', async () => {
  const subject = 'CN=turnstile'
  const added = await addClient('example_tls_client_auth', { exampleCertificateSubject: subject })
  const { clientId, clientSecret, exampleCertificateSubject } = added
  expect([clientSecret, exampleCertificateSubject]).toEqual([undefined, subject])
  const token = (headers: Record<string, string>, form = {}) =>
    post('/api/oauth/token', { client_id: clientId, ...VOUCHER, ...form }, headers)
  expect(await token({ 'x-client-subject': subject })).toMatchObject({ status: 200, token_type: 'Bearer' })
  for (const headers of [{ 'x-client-subject': 'CN=other' }, {}, { 'x-client-subject': '' }])
    expect(await token(headers)).toMatchObject({ status: 401, error: 'invalid_client' })
  expect(await token({ 'x-client-subject': subject }, { badge: 'shown' })).toMatchObject({
    status: 400,
    error: 'invalid_request',
  })
})

it('accepts its form once, and as often as its own limit allows', async () => {
  const { ticket } = (await post('/stamps', {})) as unknown as { ticket: string }
  const statuses = []
  for (const sent of [ticket, ticket, 'x', ticket])
    statuses.push((await post('/stamps', { ticket: sent })).status)
  expect(statuses).toEqual([200, 400, 400, 429])
  expect(describedServer().rateLimits).toMatchObject({ stamp: { points: 3 }, registration: { points: 100 } })
})

it('is found in the reference of errors', () => {
  expect(Object.values(describedServer().errors).map((error) => errorEntry(error))).toContain(
    '### too_many_stamps\n\n`temporarily_unavailable` 429: *Too many stamps; try again later*',
  )
})

it('does not allow its grant type in dynamic client registration', async () => {
  const metadata = { grant_types: ['authorization_code', 'urn:example:voucher'] }
  const client = await testClient(baseUrl, { metadata })
  expect(await client.token({ client_id: client.clientId, ...VOUCHER })).toMatchObject({
    error: 'unauthorized_client',
  })
})

it('leaves no trace in a server that does not mount it', async () => {
  const plain = await openServer([])
  const described = JSON.stringify(await plain.get('/.well-known/openid-configuration'))
  await plain.server.close()
  expect(described).not.toMatch(/voucher|badge/)
})

it.each([
  [
    'grant type',
    () => ({ grantTypes: [{ ...voucherGrant({} as Kernel), name: 'refresh_token' }] }),
    'refresh_token',
  ],
  ['method', () => ({ clientAuthMethods: [{ ...badge, name: 'none' }] }), 'none'],
  ['member of the metadata', () => ({ metadata: { issuer: 'https://other.example' } }), 'issuer'],
  [
    'path',
    () => ({
      endpoints: [{ path: '/api/oauth/token', methods: [], cors: true, answer: () => json(200, {}) }],
    }),
    '/api/oauth/token',
  ],
] as const)('stops the start when it takes the %s of another', async (_, feature, named) => {
  await expect(openServer([feature as unknown as Feature])).rejects.toThrow(named)
})
