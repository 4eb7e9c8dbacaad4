import type { AuthorizationServerOptions } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { dpop } from '@grantkit/core/dpop'
import { type Fapi2Options, fapi2 } from '@grantkit/core/fapi2'
import type { FeatureParts } from '@grantkit/core/feature'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { describe, expect, it } from 'vitest'
import {
  ALICE,
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redirectOf,
  type TokenAnswer,
} from './client.ts'
import { provingKey } from './dpop-key.ts'
import { ISSUER, openService, REDIRECT_URI, type Service, type ServiceScope, VERIFIER } from './service.ts'
import { assertionForm, assertionOf, type Claims, type Key, newKey } from './signed-assertions.ts'
import { TEST_KEYS } from './signing-keys.ts'

/** The profile: its settings, its errors, and its flow. `PROFILE=fapi2` of the service has the rest. */

const KEYS = TEST_KEYS.filter(({ alg }) => alg !== 'RS256')
type Options = Partial<AuthorizationServerOptions<ServiceScope>>

function openBank(options: Options = {}, profile?: Fapi2Options): Service {
  return openService({ profile: fapi2(profile), keys: KEYS, ...options })
}

describe('a configuration that contradicts the profile is rejected with the option and the section', () => {
  it.each<[string, Options]>([
    ['issuer must be an https URL.* 5.2.1', { issuer: 'http://bank.example' }],
    ['registration must be false.* 5.3.2.1, item 3', { registration: true }],
    ['clientAuthentication must be left out.* 5.3.2.1, item 6', { clientAuthentication: ['none'] }],
    ['refreshTokenRotation must be public-clients.* 5.3.2.1, item 9', { refreshTokenRotation: 'always' }],
    ['lifetimes.code must be at most 60 .*5.3.2.1, item 11', { lifetimes: { code: 61 } }],
    ['keys must be for ES256 or EdDSA.* 5.4.1, item 1', { keys: TEST_KEYS }],
    ['keys must be for ES256 or EdDSA.* 5.4.1, item 1', { keys: () => TEST_KEYS }],
    ['idTokenAlgorithm must be ES256 or EdDSA.* 5.4.1, item 1', { idTokenAlgorithm: 'RS256' }],
    ['features: grant_types_supported.* 5.3.2.1, item 2', { features: [() => passwordGrant] }],
    ['token_endpoint_auth_methods_supported.* 5.3.2.1, item 6', { features: [() => secretByHeader] }],
    ['signing algorithms.* 5.4.1, item 1', { features: [() => signedAnswers] }],
  ])('%s', (message, options) => {
    expect(() => openBank(options)).toThrow(new RegExp(`${message}.*`))
    expect(() => openBank(options)).toThrow('(FAPI 2.0 Security Profile 5.')
  })

  const passwordGrant = {
    grantTypes: [{ name: 'password', message: undefined as never, exchange: undefined as never }],
  } as unknown as FeatureParts
  const secretByHeader: FeatureParts = {
    clientAuthMethods: [{ name: 'client_secret_jwt', carrier: 'x', read: () => undefined }],
  }
  const signedAnswers: FeatureParts = {
    metadata: { introspection_signing_alg_values_supported: ['ES256', 'RS256'] },
  }

  it.each([
    ['clientKeys', clientAssertion()],
    ['pushed_request_uri', pushedAuthorizationRequests()],
    ['senderConstraint', dpop()],
  ])('it brings %s itself', (name, feature) => {
    expect(() => openBank({ features: [feature] })).toThrow(new RegExp(`features: .*${name}`))
  })

  it('other options are validated as without the profile', () => {
    expect(() => openBank({}, { par: { lifetime: 600 } })).toThrow(
      'lifetime must be a whole number of seconds from 5 to 599',
    )
    expect(() => openBank({ keys: [TEST_KEYS[2]] as never })).toThrow('a key for ES256')
    for (const issuer of ['http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:80/a'])
      expect(() => openBank({ issuer, resources: [issuer] })).not.toThrow()
    expect(() => openBank({ lifetimes: { code: 30 }, refreshTokenRotation: 'public-clients' })).not.toThrow()
  })
})

it('answers are signed by EdDSA where there is no other key, once it is said', () => {
  const options = { keys: TEST_KEYS.filter(({ alg }) => alg === 'EdDSA'), idTokenAlgorithm: 'EdDSA' } as const
  expect(() => openBank(options, { messageSigning: { responses: true } })).toThrow('messageSigning.responses')
  const { metadata } = openBank(options, { messageSigning: { responses: 'EdDSA' } }).server
  expect(metadata).toMatchObject({ authorization_signing_alg_values_supported: ['EdDSA'] })
})

describe('the metadata of a server with the profile', () => {
  it('list only what it allows', () => {
    const { metadata, routes } = openBank().server
    expect(metadata).toMatchObject({
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519', 'PS256'],
      id_token_signing_alg_values_supported: ['ES256', 'EdDSA'],
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519', 'PS256'],
      require_pushed_authorization_requests: true,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
    })
    expect(metadata).not.toHaveProperty('registration_endpoint')
    expect(routes.some(({ path }) => path.endsWith('/register'))).toBe(false)
    expect(JSON.stringify(metadata)).not.toContain('RS256')
  })

  it('of its resources say that tokens are bound', async () => {
    const answer = await openBank().send('GET', '/.well-known/oauth-protected-resource')
    expect(bodyOf(answer)).toMatchObject({ dpop_bound_access_tokens_required: true })
  })
})

const KEY = await newKey()
const PROOF = provingKey()

async function added(service: Service, metadata: object = {}, key: Key = KEY): Promise<string> {
  const { clientId: client_id } = await service.server.clients.add({
    clientName: 'Ledger',
    redirectUris: [REDIRECT_URI],
    jwks: { keys: [key.jwk] },
    ...metadata,
  })
  return client_id
}

describe('a client', () => {
  it('signs its assertions and gets ID tokens by ES256, unless it chooses otherwise', async () => {
    const service = openBank()
    const client_id = await added(service)
    expect(await service.server.clients.find(client_id)).toMatchObject({
      tokenEndpointAuthMethod: 'private_key_jwt',
      idTokenSignedResponseAlg: 'ES256',
    })
    const chosen = await added(service, { idTokenSignedResponseAlg: 'EdDSA' })
    expect(await service.server.clients.find(chosen)).toMatchObject({ idTokenSignedResponseAlg: 'EdDSA' })
  })

  it.each<[string, object]>([
    ['without PKCE', { pkceOptional: true }],
    ['without PKCE and nonce', { pkceOptional: true, nonceOptional: true }],
    ['that is public', { tokenEndpointAuthMethod: 'none' }],
    ['with a secret', { tokenEndpointAuthMethod: 'client_secret_basic' }],
    ['with ID tokens by RS256', { idTokenSignedResponseAlg: 'RS256' }],
    ['with assertions by RS256', { tokenEndpointAuthSigningAlg: 'RS256' }],
    ['with a redirect URI over plain http', { redirectUris: ['http://bank.example/cb'] }],
  ])('%s is not added', async (_, metadata) => {
    await expect(added(openBank(), metadata)).rejects.toThrow()
  })

  it('with only an RS256 key is not added', async () => {
    const key = await newKey('RS256')
    const metadata = { jwks: { keys: [{ ...key.jwk, alg: 'RS256' }] } }
    await expect(added(openBank(), metadata)).rejects.toThrow('no key for ES256, EdDSA, Ed25519, PS256')
  })
})

describe('the flow', () => {
  const headers = (service: Service, path: string, key = PROOF) => ({
    dpop: key.proof({ jti: String(Math.random()), htm: 'POST', htu: ISSUER + path, iat: service.clock.now }),
  })

  async function send(service: Service, clientId: string, path: string, form: object, claims: Claims = {}) {
    const assertion = await assertionOf(service, KEY, clientId, claims)
    const signed = { ...form, client_id: clientId, ...assertionForm(assertion) }
    return service.send('POST', path, { form: signed, headers: headers(service, path) })
  }

  async function pushed(
    service: Service,
    clientId: string,
    overrides: Record<string, string | undefined> = {},
  ) {
    const requested = Object.fromEntries(new URLSearchParams(authorizationQuery(clientId, overrides)))
    return send(service, clientId, '/api/oauth/par', requested)
  }

  async function tokens(service: Service, client_id: string): Promise<TokenAnswer> {
    const { request_uri } = bodyOf<{ request_uri: string }>(await pushed(service, client_id))
    const first = await authorize(service, String(new URLSearchParams({ client_id, request_uri })), ALICE)
    await authorize(service, String(first.headers.location).split('?')[1] ?? '', ALICE)
    const { code = '', iss } = redirectOf(await decide(service))
    expect(iss).toBe(ISSUER)
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    }
    return bodyOf<TokenAnswer>(await send(service, client_id, '/api/oauth/token', form))
  }

  it('issues bound tokens, and the refresh token is not rotated', async () => {
    const service = openBank()
    const clientId = await added(service)
    const first = await tokens(service, clientId)
    expect([first.token_type, first.id_token.split('.').length]).toEqual(['DPoP', 3])
    const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token }
    const next = bodyOf<TokenAnswer>(await send(service, clientId, '/api/oauth/token', form))
    expect([next.token_type, next.refresh_token]).toEqual(['DPoP', first.refresh_token])
  })

  it('accepts only the issuer as a string as the audience of an assertion', async () => {
    const service = openBank()
    const clientId = await added(service)
    const answer = await send(service, clientId, '/api/oauth/par', {}, { aud: [ISSUER] })
    expect([answer.status, bodyOf(answer).error]).toEqual([401, 'invalid_client'])
  })

  it('rejects a request without a challenge, even of a client that was added before the profile', async () => {
    const before = openService({ features: [clientAssertion()] })
    const metadata = { tokenEndpointAuthMethod: 'private_key_jwt', pkceOptional: true }
    const clientId = await added(before, metadata)
    const service = openBank({ store: before.store })
    const answer = await pushed(service, clientId, {
      code_challenge: undefined,
      code_challenge_method: undefined,
      nonce: 'n',
    })
    const error_description = 'code_challenge is missing. PKCE with S256 is required'
    expect(bodyOf(answer)).toEqual({ error: 'invalid_request', error_description })
  })
})
