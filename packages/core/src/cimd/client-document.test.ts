import { describe, expect, it } from 'vitest'
import { clientSecretPost } from '../clients/authentication/client-secret-post.ts'
import { none } from '../clients/authentication/none.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { documentReader } from './client-document.ts'

const ID = 'https://app.dev/client.json'
const scopes = { 'notes:read': { description: '' }, 'notes:write': { description: '' } }
const kernel = { now: () => 1_800_000_000, scopes } as unknown as Kernel
const methods = [none, clientSecretPost]
const DOCUMENT = { client_id: ID, client_name: 'App', redirect_uris: ['http://127.0.0.1/callback'] }
const read = documentReader(kernel, methods)
const validated = (changed: object, id = ID) => read(id, { ...DOCUMENT, ...changed }, 1_900_000_000)

/** The documents of clients that people use, with the members that servers stumbled over. */
const REAL = {
  'Claude Code': { redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] },
  'VS Code': {
    redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    token_endpoint_auth_method: 'none',
  },
  ChatGPT: {
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
  },
}

describe('the document of a client', () => {
  it.each(Object.entries(REAL))('of %s makes a public client', (_, members) => {
    expect(validated(members)).toMatchObject({
      kind: 'client',
      client: {
        clientId: ID,
        origin: 'document',
        redirectUris: members.redirect_uris,
        tokenEndpointAuthMethod: 'none',
        grantTypes: ['authorization_code', 'refresh_token'],
      },
    })
  })

  it('decides what its client may ask for', () => {
    const { client } = validated({
      scope: 'notes:read other:scope',
      grant_types: ['authorization_code'],
    }) as never
    expect(client).toMatchObject({ scopes: ['notes:read'], grantTypes: ['authorization_code'] })
  })

  it.each<[string, object]>([
    ['the id of another', { client_id: 'https://app.dev/Client.json' }],
    ['no id', { client_id: undefined }],
    ['no name', { client_name: undefined }],
    ['a name that deceives', { client_name: 'App\u202egnp' }],
    ['no redirect URI', { redirect_uris: [] }],
    ['no list of redirect URIs', { redirect_uris: 'http://127.0.0.1/callback' }],
    ['21 redirect URIs', { redirect_uris: Array(21).fill('http://127.0.0.1/callback') }],
    ['a redirect URI of 2049 characters', { redirect_uris: [`http://127.0.0.1/${'x'.repeat(2032)}`] }],
    ['a redirect URI that is a script', { redirect_uris: ['http://127.0.0.1/', 'JavaScript:alert(1)'] }],
    ['a redirect URI that is data', { redirect_uris: ['data:text/html,x'] }],
    ['a redirect URI with a parameter of the answer', { redirect_uris: ['https://app.dev/cb?code=1'] }],
    ['a secret', { client_secret: 'x' }],
    ['the end of a secret', { client_secret_expires_at: 0 }],
    ['a method with a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    [
      'another method with a secret',
      { token_endpoint_auth_methods_supported: ['none', 'client_secret_jwt'] },
    ],
    ['a private key', { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] } }],
    ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'k' }] } }],
    ['keys here and there', { jwks: { keys: [] }, jwks_uri: 'https://app.dev/keys' }],
    ['no code', { grant_types: ['refresh_token'] }],
    ['a logo that is a script', { logo_uri: 'javascript:alert(1)' }],
    ['only scopes of other servers', { scope: 'other:scope' }],
    ['a scope that is a number', { scope: 1 }],
  ])('is refused with %s', (_, changed) => {
    expect(validated(changed)).toEqual({ kind: 'invalid', fault: expect.any(String) })
  })

  it('is of no use if its client can only authenticate as nobody can here', () => {
    expect(validated({ token_endpoint_auth_method: 'private_key_jwt' })).toMatchObject({ kind: 'unusable' })
  })

  it('gives its client no rights that only the operator gives', () => {
    const verdict = validated({
      origin: 'integration',
      resource_server: true,
      remember_consent: true,
      trusted: true,
    })
    expect(verdict).toMatchObject({ kind: 'client', client: { origin: 'document' } })
    for (const member of ['resourceServer', 'rememberConsent', 'trusted'])
      expect(verdict).not.toHaveProperty(`client.${member}`)
  })
})
