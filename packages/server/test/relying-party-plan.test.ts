import type { ProviderRow } from '@grantkit/testkit/provider'
import { expect, it } from 'vitest'
import { openSignIn } from './provider-sign-in.ts'

/**
 * The 14 modules of the OpenID Foundation's plan for Basic RPs (`oidcc-client-basic-certification-test-plan`), as its public
 * descriptions have them: the server is the client of a provider that takes HTTP Basic alone. A module that sends a fault passes if
 * the client refuses; the suite skips the one of unsigned ID tokens then. docs/openid-suite.md says what this is not.
 */

const PREFIX = 'oidcc-client-test'
const USERINFO = '/userinfo'

/** The ID token has the subject alone, so that the client asks UserInfo, as the suite expects. */
function open(change: Partial<ProviderRow> = {}) {
  return openSignIn({ plays: 'basicOnly', change: { idToken: ({ sub }) => ({ sub }), ...change } })
}

it.each<[string, Partial<ProviderRow>]>([
  [PREFIX, {}],
  [`${PREFIX}-idtoken-sig-rs256`, {}],
  [`${PREFIX}-kid-absent-single-jwks`, { dropsKid: true }],
])('%s: the user is signed in', async (_, change) => {
  const { identity, provider } = open(change)
  expect(await identity()).toMatchObject({ issuer: provider.issuer, subject: '248289761001' })
})

it(`${PREFIX}-scope-userinfo-claims: the scopes are asked for, and their claims read with the token in the header`, async () => {
  const { answered, signIn, requestsTo } = open()
  const { location, cookies, query } = await answered()
  expect(location.searchParams.get('scope')?.split(' ')).toEqual(['openid', 'email', 'profile'])
  const { identity } = await signIn.finish(cookies, query)
  expect(identity).toMatchObject({ email: 'alice@partner.example', name: 'Alice' })
  const [asked, ...others] = requestsTo(USERINFO)
  expect(others).toEqual([])
  expect(asked?.headers.get('authorization')).toMatch(/^Bearer \S+$/)
  expect(asked?.url.search, 'a token in an address is in logs').toBe('')
})

it(`${PREFIX}-client-secret-basic: the secret is in the header, and in no other place`, async () => {
  const { identity, requestsTo } = open()
  await identity()
  const [redemption] = requestsTo('/token')
  expect(redemption?.headers.get('authorization')).toMatch(/^Basic /)
  expect([...(redemption?.form.keys() ?? [])].sort()).toEqual([
    'code',
    'code_verifier',
    'grant_type',
    'redirect_uri',
  ])
})

it.each<[string, Partial<ProviderRow>, RegExp]>([
  ['invalid-iss', { claims: { iss: 'https://other.example' } }, /^iss of the ID token is "https:\/\/other/],
  ['invalid-aud', { claims: { aud: 'other' } }, /^aud of the ID token is "other", not "grantkit"$/],
  ['missing-sub', { claims: { sub: undefined } }, /sub/],
  ['missing-iat', { claims: { iat: undefined } }, /iat/],
  ['nonce-invalid', { claims: { nonce: 'other' } }, /^nonce of the ID token is "other", not/],
  ['idtoken-sig-none', { signature: 'none' }, /alg/],
  ['invalid-sig-rs256', { signature: 'other' }, /signature/],
  ['kid-absent-multiple-jwks', { dropsKid: true, publishesTwoKeys: true }, /multiple matching keys/],
])(`${PREFIX}-%s: the ID token is refused, and its access token not used`, async (_, change, detail) => {
  const { identity, requestsTo } = open(change)
  await expect(identity()).rejects.toMatchObject({ detail: expect.stringMatching(detail) })
  expect(requestsTo('/token')).toHaveLength(1)
  expect(requestsTo(USERINFO)).toEqual([])
})

it(`${PREFIX}-userinfo-invalid-sub: UserInfo of another user is refused`, async () => {
  const { identity, requestsTo } = open({ resources: { [USERINFO]: (user) => ({ ...user, sub: 'other' }) } })
  await expect(identity()).rejects.toMatchObject({ detail: 'UserInfo is about another sub' })
  expect(requestsTo(USERINFO)).toHaveLength(1)
})
