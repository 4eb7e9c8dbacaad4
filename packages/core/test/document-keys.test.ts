import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientDocuments, type DocumentFetchRequest } from '@grantkit/core/client-documents'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, bodyOf, decide, redirectOf, requestToken } from './client.ts'
import { DOCUMENT, fault, ID, openWithDocuments } from './document-host.ts'
import { openService, REDIRECT_URI, type Service, VERIFIER } from './service.ts'
import { assertionForm, assertionOf, type Key, newKey } from './signed-assertions.ts'

/** Clients that authenticate with the keys in their documents. */

const KEYS = 'https://editor.dev/keys'
const key = await newKey()
const foreign = await newKey('EdDSA')
const jwks = { keys: [key.jwk] }
/** The document of ChatGPT, with an algorithm that is quick to test. */
const BOTH = {
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  token_endpoint_auth_signing_alg: 'ES256',
  jwks_uri: KEYS,
}
const ONLY = { token_endpoint_auth_method: 'private_key_jwt', jwks }

/** A service that accepts assertions. `published` is the response of the `jwks_uri`. */
function open(members: object, published: object | Error = jwks) {
  const keys = { published, requests: [] as (DocumentFetchRequest & { readonly url: string })[] }
  const fetch = async (url: string, request: DocumentFetchRequest) => {
    keys.requests.push({ url, ...request })
    if (keys.published instanceof Error) throw keys.published
    const headers = { 'content-type': 'application/json' }
    return { status: 200, headers, body: JSON.stringify(keys.published) }
  }
  const { service, host } = openWithDocuments({ features: [clientAssertion({ fetch })] })
  host.answer = { document: { ...DOCUMENT, ...members } }
  return { service, host, keys }
}

async function codeOf(service: Service): Promise<string> {
  await authorize(service, authorizationQuery(ID))
  return redirectOf(await decide(service)).code ?? ''
}

const proofOf = async (service: Service, by: Key = key) => assertionForm(await assertionOf(service, by, ID))

async function token(service: Service, form: Record<string, string>) {
  const answer = await requestToken(service, { client_id: ID, ...form })
  const { error, refresh_token = '' } = bodyOf<{ error?: string; refresh_token?: string }>(answer)
  return { status: answer.status, error, refresh_token }
}

const redeem = (service: Service, code: string, proof: object = {}) =>
  token(service, {
    ...{ grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code_verifier: VERIFIER },
    ...{ code, ...proof },
  })

const refresh = (service: Service, refresh_token: string, proof: object = {}) =>
  token(service, { grant_type: 'refresh_token', refresh_token, ...proof })

const UNPROVEN = { status: 401, error: 'invalid_client' }

describe('a client whose document has only private_key_jwt', () => {
  it('authenticates with the keys in its document, at every endpoint', async () => {
    const { service } = open(ONLY)
    const { status, refresh_token } = await redeem(service, await codeOf(service), await proofOf(service))
    expect(status).toBe(200)
    const next = await refresh(service, refresh_token, await proofOf(service))
    expect(next.status).toBe(200)
    const form = { token: next.refresh_token, ...(await proofOf(service)) }
    const about = await service.send('POST', '/api/oauth/introspect', { form })
    expect([about.status, bodyOf(about).active]).toEqual([200, true])
  })

  it.each([
    ['without an assertion', async () => ({})],
    ['with a secret', async () => ({ client_secret: 'x' })],
    ['with an assertion by another key', async (service: Service) => proofOf(service, await newKey())],
  ])('CM-16: is refused %s, and loses neither code nor refresh token', async (_, credentials) => {
    const { service } = open(ONLY)
    const code = await codeOf(service)
    expect(await redeem(service, code, await credentials(service))).toMatchObject(UNPROVEN)
    const { refresh_token } = await redeem(service, code, await proofOf(service))
    expect(await refresh(service, refresh_token, await credentials(service))).toMatchObject(UNPROVEN)
    expect((await refresh(service, refresh_token, await proofOf(service))).status).toBe(200)
  })
})

describe('a client whose document has none and private_key_jwt', () => {
  it.each<[string, object]>([
    ['as ChatGPT names them', BOTH],
    ['in the list alone', { token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'], jwks }],
    ['the other way round', { ...BOTH, token_endpoint_auth_method: 'none', jwks, jwks_uri: undefined }],
  ])('may authenticate, but need not: %s', async (_, members) => {
    const { service } = open(members)
    expect((await redeem(service, await codeOf(service))).status).toBe(200)
    expect((await redeem(service, await codeOf(service), await proofOf(service))).status).toBe(200)
  })

  it('CM-16: is not treated as public after an invalid assertion', async () => {
    const { service } = open(BOTH)
    const code = await codeOf(service)
    expect(await redeem(service, code, await proofOf(service, await newKey()))).toMatchObject(UNPROVEN)
    expect(await redeem(service, code, { client_secret: 'x' })).toMatchObject(UNPROVEN)
    expect((await redeem(service, code)).status).toBe(200)
  })

  it('CM-17: must keep the method of its grant: a grant that was redeemed with an assertion is refreshed with one', async () => {
    const { service } = open(BOTH)
    const proven = await redeem(service, await codeOf(service), await proofOf(service))
    expect(await refresh(service, proven.refresh_token)).toMatchObject(UNPROVEN)
    expect(service.events.at(-1)).toMatchObject({ reason: 'refresh_token_of_other_method' })
    const next = await refresh(service, proven.refresh_token, await proofOf(service))
    expect(next.status, 'it lost nothing').toBe(200)
    expect(await refresh(service, next.refresh_token), 'and so for ever').toMatchObject(UNPROVEN)
    const unproven = await redeem(service, await codeOf(service))
    expect((await refresh(service, unproven.refresh_token)).status).toBe(200)
  })

  it('CM-17: a document that drops the method does not make earlier grants public', async () => {
    const { service, host } = open(ONLY)
    const { refresh_token } = await redeem(service, await codeOf(service), await proofOf(service))
    service.clock.now += 3600
    host.answer = { document: DOCUMENT }
    const after = await redeem(service, await codeOf(service))
    expect(await refresh(service, refresh_token), 'without').toMatchObject(UNPROVEN)
    expect(await refresh(service, refresh_token, await proofOf(service)), 'with').toMatchObject(UNPROVEN)
    expect((await refresh(service, after.refresh_token)).status, 'a new grant').toBe(200)
  })
})

describe('the jwks_uri of a document', () => {
  it('is fetched when an assertion arrives and not before, with the limits of a key set', async () => {
    const { service, host, keys } = open(BOTH)
    const code = await codeOf(service)
    expect([host.requests.map(({ url }) => url), keys.requests]).toEqual([[ID], []])
    await redeem(service, code, await proofOf(service))
    const [{ signal: _, ...request } = {} as never] = keys.requests
    const accept = 'application/jwk-set+json, application/json'
    expect(request).toEqual({ url: KEYS, accept, maxBytes: 65_536, headers: {} })
    await redeem(service, await codeOf(service), await proofOf(service))
    expect(keys.requests, 'kept').toHaveLength(1)
  })

  it('that cannot be fetched is a 503, consumes no code, and is not fetched again for a while', async () => {
    const { service, keys } = open(BOTH, fault('timeout'))
    const code = await codeOf(service)
    for (let count = 0; count < 5; count++)
      expect(await redeem(service, code, await proofOf(service))).toMatchObject({
        status: 503,
        error: 'temporarily_unavailable',
      })
    expect(keys.requests).toHaveLength(1)
    keys.published = jwks
    service.clock.now += 5
    expect((await redeem(service, code, await proofOf(service))).status).toBe(200)
  })

  it.each([
    'http://editor.dev/keys',
    'https://127.0.0.1/keys',
    'https://metadata.google.internal/keys',
    'https://editor.dev:8443/keys',
    'https://user@editor.dev/keys',
    'https://server.example/jwks',
    'https://EDITOR.dev/keys',
    'javascript:alert(1)',
  ])('CM-01: is ignored unless it is on the public internet: %s', async (jwks_uri) => {
    const { service, keys } = open({ ...BOTH, jwks_uri })
    const code = await codeOf(service)
    expect(await redeem(service, code, await proofOf(service))).toMatchObject(UNPROVEN)
    expect((await redeem(service, code)).status, 'it is public').toBe(200)
    expect(keys.requests).toEqual([])
  })
})

describe('private_key_jwt without keys', () => {
  const NONE: [string, object][] = [
    ['none at all', {}],
    ['an empty set', { jwks: { keys: [] } }],
    ['keys that are no keys', { jwks: { keys: [{ kty: 'EC' }, { ...key.jwk, use: 'enc' }] } }],
    ['no set', { jwks: { keys: [{ kty: 'EC', crv: 'P-521', x: 'x', y: 'y' }] } }],
    ['of another algorithm', { jwks: { keys: [foreign.jwk] }, token_endpoint_auth_signing_alg: 'ES256' }],
    ['of an algorithm that no server accepts', { jwks, token_endpoint_auth_signing_alg: 'HS256' }],
  ]
  it.each(NONE)('is not accepted as a method: %s', async (_, members) => {
    const { service } = open({ token_endpoint_auth_method: 'private_key_jwt', ...members })
    const refused = redirectOf(await authorize(service, authorizationQuery(ID)))
    expect(refused).toMatchObject({ error: 'unauthorized_client', state: 'a state' })
  })

  it.each(NONE)('leaves a client public that also has the method none: %s', async (_, members) => {
    const methods = ['none', 'private_key_jwt']
    const { service } = open({ token_endpoint_auth_methods_supported: methods, ...members })
    expect((await redeem(service, await codeOf(service))).status).toBe(200)
    expect(await redeem(service, await codeOf(service), await proofOf(service))).toMatchObject(UNPROVEN)
  })
})

it('keys of other types next to a usable one are ignored, and are not stored', async () => {
  const [ours] = jwks.keys
  const others = [
    { kty: 'EC', crv: 'P-521', x: 'x', y: 'y' },
    { ...key.jwk, use: 'enc' },
  ]
  const { service } = open({ ...ONLY, jwks: { keys: [...others, { ...ours, owner: 'alice' }] } })
  expect((await redeem(service, await codeOf(service), await proofOf(service))).status).toBe(200)
  expect((await service.server.clients.find(ID))?.jwks).toEqual(jwks)
})

it('a document has no effect by members that only an operator may set', async () => {
  const { service } = open({
    ...ONLY,
    client_credentials_scopes: 'courses:read',
    token_exchange_resources: ['x'],
  })
  await codeOf(service)
  const client = await service.server.clients.find(ID)
  expect(client).toMatchObject({ jwks })
  expect(client).not.toHaveProperty('clientCredentialsScopes')
  expect(client).not.toHaveProperty('tokenExchangeResources')
})

it('a server without client assertions ignores the keys of a document', async () => {
  const { service, host } = openWithDocuments()
  host.answer = { document: { ...DOCUMENT, ...BOTH } }
  expect((await redeem(service, await codeOf(service))).status).toBe(200)
  expect(await redeem(service, await codeOf(service), await proofOf(service))).toMatchObject(UNPROVEN)
  expect(await service.server.clients.find(ID)).not.toHaveProperty('jwks')
})

it('a pinned document may require private_key_jwt, and then needs keys', async () => {
  const opened = (members: object) =>
    openService({
      features: [clientDocuments({ pinned: [{ ...DOCUMENT, ...members }] }), clientAssertion()],
    })
  const service = opened(ONLY)
  const code = await codeOf(service)
  expect(await redeem(service, code)).toMatchObject(UNPROVEN)
  expect((await redeem(service, code, await proofOf(service))).status).toBe(200)
  expect(() => opened({ ...ONLY, jwks: undefined })).toThrow('pinned[0]: names no authentication method')
  expect(
    () => opened({ ...BOTH, token_endpoint_auth_methods_supported: [] }),
    'nothing fetches them',
  ).toThrow('pinned[0]: names no authentication method')
})
