import { loopbackOnly, OAuthError } from '@grantkit/core'
import { clientDocuments } from '@grantkit/core/client-documents'
import { ERRORS } from '@grantkit/core/errors'
import type { Client } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redeem,
  redirectOf,
  refresh,
  requestToken,
  type TokenAnswer,
} from './client.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

/** A client that is described by a document: it lists redirect URIs for every server that it may meet. */

const ID = 'https://editor.dev/client.json'
const ON_THE_WEB = 'https://editor.dev/redirect'
const DOCUMENT = {
  client_id: ID,
  client_name: 'Editor',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback', ON_THE_WEB],
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  token_endpoint_auth_method: 'none',
}
const open = (overrides: Parameters<typeof openService>[0] = {}) =>
  openService({ features: [clientDocuments({ pinned: [DOCUMENT] })], ...overrides })

async function signedIn(service: Service, redirect_uri = REDIRECT_URI): Promise<TokenAnswer> {
  await authorize(service, authorizationQuery(ID, { redirect_uri }))
  const { code = '' } = redirectOf(await decide(service))
  const answer = await redeem(service, { clientId: ID }, code, { redirect_uri })
  expect(answer.status).toBe(200)
  return bodyOf<TokenAnswer>(answer)
}

describe('a client that is described by a document', () => {
  it.each([REDIRECT_URI, 'http://localhost:49152/callback'])('gets tokens at %s', async (redirect_uri) => {
    for (const mixed of ['prune', 'refuse'] as const)
      await signedIn(open({ redirectUriPolicy: loopbackOnly({ mixed }) }), redirect_uri)
  })

  it('is one that each feature may refuse, as it may refuse one that registers itself', async () => {
    const documents = (name: string) => clientDocuments({ pinned: [{ ...DOCUMENT, client_name: name }] })
    const noBrand = () => ({
      checkClient({ clientName = '' }: Client) {
        if (clientName.includes('Acme'))
          throw new OAuthError(ERRORS.client_metadata_invalid, 'client_name: a brand')
      },
    })
    for (const features of [
      [documents('Acme Deluxe'), noBrand],
      [noBrand, documents('Acme Deluxe')],
    ])
      expect(() => open({ features })).toThrow('client_name: a brand')
    await signedIn(open({ features: [documents('Editor'), noBrand] }))
  })

  it('refreshes and revokes its tokens like any other', async () => {
    const service = open()
    const { refresh_token } = await signedIn(service)
    const next = bodyOf<TokenAnswer>(await refresh(service, { clientId: ID }, refresh_token))
    expect((await service.callApi(next.access_token, 'courses:read')).kind).toBe('authorized')
    expect((await service.server.grants.list('alice')).grants).toMatchObject([
      { client: { clientName: 'Editor' } },
    ])
    const form = { client_id: ID, token: next.refresh_token }
    expect((await service.send('POST', '/api/oauth/revoke', { form })).status).toBe(200)
    expect((await service.callApi(next.access_token, 'courses:read')).kind).toBe('refused')
  })

  it('gets a page at a listed URI that the policy does not accept', async () => {
    const service = open()
    const answer = await authorize(service, authorizationQuery(ID, { redirect_uri: ON_THE_WEB }))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    const { error, reason } = service.shown.error ?? {}
    expect([error, reason]).toEqual(['invalid_redirect_uri', 'redirect_uri_not_accepted'])
  })

  it('gets a page at a listed URI that the policy drops', async () => {
    const service = open({ redirectUriPolicy: () => ({ accepted: [] }) })
    expect((await authorize(service, authorizationQuery(ID))).status).toBe(400)
    expect(service.shown.error?.reason).toBe('redirect_uri_not_accepted')
  })

  it('gets a page at a URI that the policy accepts and the document does not list', async () => {
    const service = open()
    await authorize(service, authorizationQuery(ID, { redirect_uri: 'http://[::1]/callback' }))
    expect(service.shown.error?.reason).toBe('redirect_uri_not_registered')
  })

  it('needs consent each time', async () => {
    const service = open()
    await signedIn(service)
    const silent = await authorize(service, authorizationQuery(ID, { prompt: 'none' }))
    expect(redirectOf(silent).error).toBe('consent_required')
  })

  it.each([
    ['as a secret', { client_secret: 'x' }, 'invalid_client'],
    ['as an assertion', { client_assertion: 'x', client_assertion_type: 'y' }, 'invalid_client'],
  ])('is refused with credentials %s, since it has none', async (_, credentials, error) => {
    const { refresh_token } = await signedIn(open())
    const form = { grant_type: 'refresh_token', client_id: ID, refresh_token, ...credentials }
    const answer = await requestToken(open(), form as Record<string, string>)
    expect([answer.status, bodyOf(answer).error]).toEqual([401, error])
  })

  it('may have an id of 512 characters', async () => {
    const client_id = `https://editor.dev/${'x'.repeat(512 - 19)}`
    const service = open({ features: [clientDocuments({ pinned: [{ ...DOCUMENT, client_id }] })] })
    await authorize(service, authorizationQuery(client_id))
    const { code = '' } = redirectOf(await decide(service))
    expect((await redeem(service, { clientId: client_id }, code)).status).toBe(200)
  })
})

describe('clientDocuments', () => {
  it('sets the metadata, and allows the method none', () => {
    const { metadata } = open().server
    expect(metadata.client_id_metadata_document_supported).toBe(true)
    expect(metadata.token_endpoint_auth_methods_supported).toMatchObject({ 0: 'none' })
    expect(openService().server.metadata.client_id_metadata_document_supported).toBe(false)
    for (const [options, supported] of [
      [{}, false],
      [{ fetch: () => Promise.reject(new Error('not fetched')) }, true],
    ] as const) {
      const { server } = openService({ features: [clientDocuments(options)] })
      expect(server.metadata.client_id_metadata_document_supported).toBe(supported)
    }
  })

  it.each(['https://other.dev/client.json', `${ID}/`, ID.toUpperCase(), `${ID}?`])(
    'does not know a document that is not pinned: %s',
    async (id) => {
      const service = open()
      await authorize(service, authorizationQuery(id))
      expect(service.shown.error?.reason).toBe('client_unknown')
      const { refresh_token } = await signedIn(service)
      expect((await refresh(service, { clientId: id }, refresh_token)).status).toBe(401)
    },
  )

  it.each([
    ['an address that is none', { client_id: 'editor' }, 'pinned[0]: client_id is no https address: editor'],
    ['an address of the server', { client_id: 'https://server.example/c' }, 'pinned[0]: client_id is'],
    [
      'no way to authenticate',
      { token_endpoint_auth_method: 'private_key_jwt' },
      'pinned[0]: names no authentication method',
    ],
  ])('refuses a document with %s when the server is created', (_, changed, message) => {
    const features = [clientDocuments({ pinned: [{ ...DOCUMENT, ...changed }] })]
    expect(() => openService({ features })).toThrow(message)
  })
})
