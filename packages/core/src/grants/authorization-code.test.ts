import { describe, expect, it } from 'vitest'
import type { Client, Grant } from '../kernel/records.ts'
import { type GrantId, type Secret, sha256 } from '../kernel/secrets.ts'
import { type CodeRedemption, redeemCode } from './authorization-code.ts'
import { openGrant } from './grant.ts'

const NOW = 1_000_000
const TERMS = { accessToken: 300, refreshToken: 1000, refreshRetryWindow: 60, maxAccessTokens: 8 }
const VERIFIER = 'v'.repeat(43)
const HERE = 'https://app.example/cb'
const API = 'https://api.example'
const CODE = 'code' as Secret
const CLIENT = {
  clientId: 'app',
  redirectUris: [HERE],
  grantTypes: ['authorization_code'],
} as Partial<Client>
const TWO_URIS = { client: { ...CLIENT, redirectUris: [HERE, `${HERE}2`] } as Client, redirectUri: undefined }

function open(approved: { challenge?: string | undefined; jkt?: string } = {}): Grant {
  const ids = { id: 'g' as GrantId, subject: 'alice', clientId: 'app', redirectUri: HERE, nonce: 'n' }
  const extent = { scopes: ['read'], resources: [], authTime: 0 }
  const approval = { ...ids, ...extent, challenge: sha256(VERIFIER), code: CODE, ...approved }
  return openGrant(approval, NOW, { code: 60, grant: 30_000 })
}

function redeem(grant: Grant, changed: Partial<CodeRedemption> = {}, later = 0) {
  const request = {
    ...{ code: CODE, client: CLIENT as Client, redirectUri: HERE, verifier: VERIFIER, resources: [] },
    ...{ knownResources: [API], jkt: undefined, arrivedAt: NOW + later },
    fresh: { accessToken: 'access' as Secret, family: 'family', refreshToken: 'refresh' as Secret },
  }
  return redeemCode(grant, { ...request, ...changed }, NOW + later, TERMS)
}

function spent(): Grant {
  const outcome = redeem(open())
  if (outcome.kind !== 'changed') throw new Error(outcome.kind)
  return outcome.grant
}

describe('an authorization code', () => {
  it.each<[string, Grant, Partial<CodeRedemption>, number]>([
    ['in its last second', open(), {}, 59],
    ['without the redirect_uri of a client that has one', open(), { redirectUri: undefined }, 0],
    ['by its key', open({ jkt: 'key' }), { jkt: 'key' }, 0],
    ['without PKCE, if its request had none', open({ challenge: undefined }), { verifier: undefined }, 0],
  ])('is exchanged %s', (_, grant, changed, later) => {
    expect(redeem(grant, changed, later)).toMatchObject({
      kind: 'changed',
      grant: { usedAt: NOW + later, nonce: undefined, refresh: undefined },
      result: { accessToken: 'access', scopes: ['read'], expiresIn: 300, nonce: 'n' },
    })
  })

  it.each<[string, Grant, Partial<CodeRedemption>, number, string]>([
    ['another code', open(), { code: 'x' as Secret }, 0, 'code_unknown'],
    ['a grant without a code', { ...open(), code: undefined }, {}, 0, 'code_unknown'],
    ['another client', open(), { client: { ...CLIENT, clientId: 'x' } as Client }, 0, 'code_of_other_client'],
    [
      'another client, once it is spent',
      spent(),
      { client: { clientId: 'x' } as Client },
      0,
      'code_of_other_client',
    ],
    ['the second of its end', open(), {}, 60, 'code_expired'],
    ['another redirect_uri', open(), { redirectUri: `${HERE}2` }, 0, 'code_redirect_uri_mismatch'],
    ['no redirect_uri of a client with two', open(), TWO_URIS, 0, 'code_redirect_uri_missing'],
    [
      'no redirect_uri and no PKCE',
      open({ challenge: undefined }),
      { redirectUri: undefined, verifier: undefined },
      0,
      'code_redirect_uri_missing',
    ],
    ['no verifier', open(), { verifier: undefined }, 0, 'code_verifier_missing'],
    ['another key', open({ jkt: 'key' }), { jkt: 'x' }, 0, 'code_of_other_key'],
    ['no key', open({ jkt: 'key' }), {}, 0, 'code_of_other_key'],
    ['an unknown resource', open(), { resources: [`${API}/x`], verifier: 'x' }, 0, 'resource_unknown'],
  ])('is refused with %s, and ends nothing', (_, grant, changed, later, reason) => {
    expect(() => redeem(grant, changed, later)).toThrow(expect.objectContaining({ reason }))
  })

  it.each<[string, Grant, Partial<CodeRedemption>, number, string]>([
    ['when it is used again, also after its end', spent(), {}, 900, 'code_replayed'],
    ['with a wrong verifier', open(), { verifier: 'w'.repeat(43) }, 0, 'code_verifier_mismatch'],
    ['with a verifier but no challenge', open({ challenge: undefined }), {}, 0, 'code_verifier_mismatch'],
    [
      'when its redirect_uri was removed from the client',
      open(),
      { client: { ...CLIENT, origin: 'integration', redirectUris: [`${HERE}2`] } as Client },
      0,
      'code_redirect_uri_removed',
    ],
  ])('ends its grant %s', (_, grant, changed, later, reason) => {
    const refusal = expect.objectContaining({ reason })
    expect(redeem(grant, changed, later)).toEqual({ kind: 'ended', refusal })
  })

  it('that comes with another redirect_uri says in the log which one was expected', () => {
    const facts = { expected: [HERE] }
    const other = () => redeem(open(), { redirectUri: `${HERE}2` })
    expect(other).toThrow(expect.objectContaining({ facts: expect.objectContaining(facts) }))
  })
})
