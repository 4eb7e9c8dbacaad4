import { describe, expect, it } from 'vitest'
import { clientSecretPost, none } from '../../clients/authentication/client-authentication.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Client } from '../../kernel/records.ts'
import { clientIdUrlFault, documentReader } from './client-document.ts'

const ID = 'https://app.dev/client.json'
const scopes = { 'notes:read': { description: '' }, 'notes:write': { description: '' } }
const kernel = { now: () => 1_800_000_000, scopes } as unknown as Kernel
const methods = [none, clientSecretPost(() => true)]
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

  it('defines what its client may request', () => {
    const { client } = validated({
      scope: 'notes:read other:scope',
      grant_types: ['authorization_code'],
    }) as never
    expect(client).toMatchObject({ scopes: ['notes:read'], grantTypes: ['authorization_code'] })
  })

  it('is judged no stricter than a registration: null and empty members are absent, and what is only shown is cut or left out', () => {
    const clientOf = (members: object) => (validated(members) as never as { client: Client }).client
    for (const nothing of [null, ''])
      expect(
        clientOf({ logo_uri: nothing, contacts: nothing, jwks_uri: nothing, client_secret: nothing }),
      ).toEqual(clientOf({}))
    expect(validated({ client_name: null })).toMatchObject({
      kind: 'invalid',
      fault: 'client_name is missing',
    })
    expect(clientOf({ application_type: 'browser' }).applicationType).toBe('native')
    expect(clientOf({ client_name: `${'n'.repeat(199)}🎓 school` }).clientName).toBe('n'.repeat(199))
  })

  it('has its name cleaned, as a registration has', () => {
    const nameOf = (client_name: string) =>
      (validated({ client_name }) as never as { client: Client }).client.clientName
    expect(nameOf('App\u202egnp')).toBe('Appgnp')
    expect(nameOf('👩\u200d💻 نرم\u200cافزار')).toBe('👩\u200d💻 نرم\u200cافزار')
  })

  it.each<[string, object]>([
    ['the id of another', { client_id: 'https://app.dev/Client.json' }],
    ['no id', { client_id: undefined }],
    ['no name', { client_name: undefined }],
    ['a name with nothing to read', { client_name: '\u202e()' }],
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

  it('is unusable if the server supports none of its authentication methods', () => {
    const client = { tokenEndpointAuthMethod: 'private_key_jwt', cannotAuthenticate: true }
    expect(validated({ token_endpoint_auth_method: 'private_key_jwt' })).toMatchObject({
      kind: 'unusable',
      client,
    })
  })

  it('has the authentication methods that the server supports, and what they need', () => {
    const jwks_uri = 'https://app.dev/keys'
    const byKey = { name: 'private_key_jwt', carrier: 'form', read: () => undefined } as const
    const reader = documentReader(kernel, [none, { ...byKey, ofDocument: () => ({ jwks_uri }) }])
    const terms = [REAL['VS Code'], REAL.ChatGPT].map((members) => {
      const { client } = reader(ID, { ...DOCUMENT, ...members }, 1_900_000_000) as { client: Client }
      return [client.tokenEndpointAuthMethod, client.otherAuthMethods, client.featureMetadata]
    })
    expect(terms).toEqual([
      ['none', undefined, undefined],
      ['none', ['private_key_jwt'], { jwks_uri }],
    ])
  })

  it('grants its client no rights that only the operator may grant', () => {
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

const issuer = 'https://server.example.org/auth'
const faultOf = (id: string) => clientIdUrlFault(id, { issuer })

describe('the address of a document', () => {
  it.each([
    'https://claude.ai/oauth/claude-code-client-metadata',
    'https://vscode.dev/oauth/client-metadata.json',
    'https://chatgpt.com/oauth/codex/client.json',
    'https://xn--bcher-kva.ch/c.json',
    `https://app.dev/${'x'.repeat(512 - 16)}`,
  ])('is accepted: %s', (id) => {
    expect(faultOf(id)).toBeUndefined()
  })

  it.each([
    [`https://app.dev/${'x'.repeat(513 - 16)}`, 'is longer than 512 characters'],
    ['http://app.dev/c.json', 'is no https address'],
    ['HTTPS://app.dev/c.json', 'is no https address'],
    ['https:/app.dev/c.json', 'is no https address'],
    ['https:app.dev/c.json', 'is no https address'],
    ['https://app.dev\\@evil.dev/c', 'is no https address'],
    ['https://app\t.dev/c.json', 'is no https address'],
    ['https://app.dev/c.json\n', 'is no https address'],
    [' https://app.dev/c.json', 'is no https address'],
    ['https://app.dev/c json', 'is no https address'],
    ['https://app.dev/{c}', 'is no https address'],
    ['https://app.dev/c"', 'is no https address'],
    ['https://app.dev/c`', 'is no https address'],
    ['https://app.dev/é', 'is no https address'],
    ['https://①②⑦.⓪.⓪.①/c', 'is no https address'],
    ['https://app.dev/c#', 'has a fragment'],
    ['https://app.dev/c#x', 'has a fragment'],
    ['https://app.dev/c?', 'has a query'],
    ['https://app.dev/c?x=1', 'has a query'],
    ['https://app.dev', 'has no path'],
    ['https://app.dev/', 'has no path'],
    ['https://app.dev/./c', 'has a dot segment'],
    ['https://app.dev/a/../c', 'has a dot segment'],
    ['https://app.dev/%2e%2E/c', 'has a dot segment'],
    ['https://app.dev/a/.%2e', 'has a dot segment'],
    ['https://user@app.dev/c', 'has a user'],
    ['https://@app.dev/c', 'has a user'],
    ['https://claude.ai:x@evil.dev/c', 'has a user'],
    ['https:///c', 'is not in its normal form'],
    ['https://APP.dev/c', 'is not in its normal form'],
    ['https://app.dev:443/c', 'is not in its normal form'],
    ['https://app.dev:/c', 'is not in its normal form'],
    ['https://app.dev:99999/c', 'is not in its normal form'],
    ['https://%61pp.dev/c', 'is not in its normal form'],
    ['https://0x7f.1/c', 'is not in its normal form'],
    ['https://2130706433/c', 'is not in its normal form'],
    ['https://127.1/c', 'is not in its normal form'],
    ['https://[::ffff:127.0.0.1]/c', 'is not in its normal form'],
    ['https://app.dev:8443/c', 'has a port'],
    ['https://127.0.0.1/c', 'is at an IP address'],
    ['https://169.254.169.254/latest/meta-data', 'is at an IP address'],
    ['https://8.8.8.8/c', 'is at an IP address'],
    ['https://[::1]/c', 'is at an IP address'],
    ['https://[::ffff:7f00:1]/c', 'is at an IP address'],
    ['https://[64:ff9b::a9fe:a9fe]/c', 'is at an IP address'],
    ['https://[2002:7f00:1::]/c', 'is at an IP address'],
    ['https://app.dev./c', 'is at no public name'],
    ['https://intranet/c', 'is at no public name'],
    ['https://localhost/c', 'is at no public name'],
    ['https://a.localhost/c', 'is at no public name'],
    ['https://metadata.google.internal/c', 'is at no public name'],
    ['https://printer.local/c', 'is at no public name'],
    ['https://router.home.arpa/c', 'is at no public name'],
    ['https://1.0.0.127.in-addr.arpa/c', 'is at no public name'],
    ['https://app.test/c', 'is at no public name'],
    ['https://app.example/c', 'is at no public name'],
    ['https://app.invalid/c', 'is at no public name'],
    ['https://hidden.onion/c', 'is at no public name'],
    ['https://name.alt/c', 'is at no public name'],
    ['https://server.example.org/auth/oauth/authorize', 'is an address of this server'],
  ])(
    'CM-01, CM-14, D15, REQ-69: what is no address on the public internet cannot be a client_id: %s',
    (id, fault) => {
      expect(faultOf(id)).toBe(fault)
    },
  )
})
