import { clientDocuments } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { importJWK, type JWTHeaderParameters, SignJWT } from 'jose'
import { codeFor } from '../approval.ts'
import { ED25519_KEY } from '../published-keys.ts'
import { introspection, REDIRECT_URI, redemption, refreshing } from '../requests.ts'
import { ISSUER } from '../server.ts'
import type { Stories, Story, World } from '../world.ts'

/** Signatures of Ed25519 are the same each time. */
const { kty, crv, x } = ED25519_KEY
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const DOWN = () => Promise.reject(Object.assign(new Error('no way'), { code: 'connect' }))

interface Change {
  readonly claims?: Record<string, unknown>
  readonly header?: Partial<JWTHeaderParameters>
  /** How often the same assertion is sent. */
  readonly times?: number
  /** Its keys are behind an address. */
  readonly fetched?: boolean
}

const CHANGES: Readonly<Record<string, Change>> = {
  'an assertion, twice': { times: 2 },
  'an assertion of another type': { header: { typ: 'at+jwt' } },
  'an assertion by another algorithm': { header: { alg: 'Ed25519' } },
  'an assertion without a subject': { claims: { sub: undefined } },
  'an assertion of another issuer': { claims: { iss: 'https://evil.example' } },
  'an assertion for two servers': { claims: { aud: [ISSUER, 'https://evil.example'] } },
  'an assertion that is over': { claims: { exp: 1_799_999_000 } },
  'an assertion for ten years': { claims: { exp: 2_115_360_000 } },
  'an assertion of the future': { claims: { nbf: 1_800_000_200 } },
  'an assertion that can be sent twice': { claims: { jti: undefined } },
  'an assertion by another key': { header: { kid: 'another' } },
  'an assertion of a client whose keys cannot be read': { fetched: true },
}

const EDITOR = {
  client_id: 'https://editor.dev/client.json',
  client_name: 'Editor',
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  jwks: { keys: [{ kty, crv, x }] },
}

export const CLIENT_ASSERTION: Stories = {
  ...Object.fromEntries(
    Object.entries(CHANGES).map(([name, change]): [string, Story] => [name, (world) => tell(world, change)]),
  ),
  'a refresh without an assertion, of a grant that began with one': async (world) => {
    const features = [clientAssertion(), clientDocuments({ pinned: [EDITOR] })]
    const opened = world.reopened({ features })
    const { client_id } = EDITOR
    const code = await codeFor(opened, { client_id })
    const proof = { client_assertion_type: TYPE, client_assertion: await signed(client_id, {}) }
    const { body } = await opened.ask(redemption({ client_id }, code, proof))
    await opened.ask(refreshing({ client_id }, JSON.parse(body).refresh_token))
  },
}

async function tell(world: World, { fetched = false, times = 1, ...change }: Change): Promise<void> {
  const opened = world.reopened({ features: [clientAssertion({ fetch: DOWN })] })
  const { client_id } = await opened.server.clients.add({
    client_name: 'Reports',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'private_key_jwt',
    ...(fetched ? { jwks_uri: 'https://reports.dev/keys' } : { jwks: { keys: [{ kty, crv, x }] } }),
  })
  const client_assertion = await signed(client_id, change)
  const given = { client_id: undefined, client_assertion_type: TYPE, client_assertion }
  const asked = change.claims && 'sub' in change.claims ? { ...given, client_id } : given
  for (let time = 0; time < times; time++) await opened.ask(introspection({ client_id }, 'a token', asked))
}

async function signed(clientId: string, { claims, header }: Change): Promise<string> {
  const usual = { iss: clientId, sub: clientId, aud: ISSUER, exp: 1_800_000_300, jti: 'one' }
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', ...header })
    .sign(await importJWK(ED25519_KEY, 'EdDSA'))
}
