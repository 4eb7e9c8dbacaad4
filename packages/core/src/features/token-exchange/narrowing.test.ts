import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addAccessToken, findAccessToken } from '../../grants/grant.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { AccessTokenState, Client, Grant } from '../../kernel/records.ts'
import { type GrantId, type Secret, sha256 } from '../../kernel/secrets.ts'
import { narrowToken } from './narrowing.ts'

const NOW = 1_000_000
const SCOPES = ['a', 'b', 'c', 'd']
const RESOURCES = ['https://one.example', 'https://two.example', 'https://three.example']
const HOSTED = { knownResources: RESOURCES, boundResources: [], catalogue: {} }
const secretOf = (index: number) => `secret ${index}` as Secret
const hashOf = (index: number) => sha256(secretOf(index))

const holder: Client = {
  clientId: 'holder',
  origin: 'registered',
  applicationType: 'native',
  redirectUris: [],
  tokenEndpointAuthMethod: 'none',
  grantTypes: [],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: 0,
  expiresAt: NOW * 2,
}
/** An API with a ceiling of its own. */
const api: Client = {
  ...holder,
  clientId: 'api',
  origin: 'integration',
  tokenEndpointAuthMethod: 'client_secret_post',
  scopes: ['a', 'b'],
  featureMetadata: { token_exchange_resources: [RESOURCES[0]] },
}

function grantWith(first: Partial<AccessTokenState>): Grant {
  const extent = { scopes: SCOPES, resources: [] }
  const token = { hash: hashOf(0), ...extent, issuedAt: NOW, expiresAt: NOW + 3600, ...first }
  return {
    id: 'grant' as GrantId,
    subject: 'alice',
    clientId: 'holder',
    ...extent,
    createdAt: NOW,
    usedAt: NOW,
    expiresAt: NOW + 86_400,
    accessTokens: [token],
  }
}

const subsetOf = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 })
const step = fc.record({
  parent: fc.nat(9),
  by: fc.constantFrom(holder, api),
  scope: fc.option(subsetOf(SCOPES), { nil: undefined }),
  resources: fc.oneof(fc.constant([]), subsetOf(RESOURCES)),
  lifetime: fc.integer({ min: 1, max: 900 }),
  wait: fc.nat(1200),
})
const firstToken = fc.record({
  scopes: subsetOf(SCOPES),
  resources: fc.oneof(fc.constant([]), subsetOf(RESOURCES)),
})

const within = (narrow: readonly string[], wide: readonly string[]) =>
  narrow.every((one) => wide.includes(one))

it('no chain of exchanges widens a scope, an audience or a life, or forges who handed it on', () => {
  fc.assert(
    fc.property(firstToken, fc.array(step, { maxLength: 16 }), (first, steps) => {
      let grant = grantWith(first)
      let now = NOW
      let made = 1
      for (const { parent, by, scope, resources, lifetime, wait } of steps) {
        now += wait
        const requested = { client: by, scope: scope?.join(' '), resources, ...HOSTED, lifetime }
        const secrets = { subjectToken: hashOf(parent % made), fresh: secretOf(made) }
        const above = findAccessToken(grant, secrets.subjectToken, now)
        try {
          grant = narrowToken(grant, { ...requested, ...secrets }, now).grant
          made++
        } catch (thrown) {
          if (!(thrown instanceof OAuthError)) throw thrown
          continue
        }
        const child = findAccessToken(grant, sha256(secrets.fresh), now)
        if (above === undefined || child === undefined) throw new Error('a dead token was exchanged')
        expect(within(child.scopes, above.scopes)).toBe(true)
        expect(child.scopes.length).toBeGreaterThan(0)
        if (by === api) expect(within(child.scopes, ['a', 'b'])).toBe(true)
        if (above.resources.length > 0) expect(child.resources.length).toBeGreaterThan(0)
        if (above.resources.length > 0) expect(within(child.resources, above.resources)).toBe(true)
        expect(child.expiresAt).toBeLessThanOrEqual(Math.min(above.expiresAt, now + 900))
        const { sub, act } = child.actor ?? {}
        expect({ sub, act }).toEqual({ sub: by.clientId, act: above.actor })
        expect(grant.accessTokens.filter(({ parent }) => parent !== undefined).length).toBeLessThanOrEqual(8)
      }
    }),
    { numRuns: 500 },
  )
})

function exchanged(grant: Grant, parent: number, fresh: number): Grant {
  const request = { client: holder, scope: 'a', resources: [], ...HOSTED, lifetime: 900 }
  const secrets = { subjectToken: hashOf(parent), fresh: secretOf(fresh) }
  const outcome = narrowToken(grant, { ...request, ...secrets }, NOW)
  if (outcome.kind !== 'changed') throw new Error('nothing was issued')
  return outcome.grant
}

const aliveIn = (grant: Grant, count: number) =>
  Array.from({ length: count }, (_, index) => findAccessToken(grant, hashOf(index), NOW) !== undefined)

it('a token whose parent has left the record is dead, and so is what it was exchanged for', () => {
  const grant = exchanged(exchanged(grantWith({}), 0, 1), 1, 2)
  expect(aliveIn(grant, 3)).toEqual([true, true, true])
  const [first, , last] = grant.accessTokens
  if (first === undefined || last === undefined) throw new Error('two tokens were exchanged')
  expect(aliveIn({ ...grant, accessTokens: grant.accessTokens.slice(1) }, 3)).toEqual([false, false, false])
  expect(aliveIn({ ...grant, accessTokens: [first, last] }, 3)).toEqual([true, false, false])
})

it('eight exchanged tokens take no place of a token of the client, and end with the one that makes room', () => {
  let grant = grantWith({})
  for (let fresh = 1; fresh <= 8; fresh++) grant = exchanged(grant, 0, fresh)
  const terms = { accessToken: 300, refreshToken: 1000, refreshRetryWindow: 60, maxAccessTokens: 2 }
  const fresh = { secret: secretOf(9), scopes: SCOPES, resources: [] }
  const added = addAccessToken(grant, fresh, NOW, terms)
  expect([added.dropped, added.accessTokens.length]).toEqual([false, 10])
  const replaced = addAccessToken(grant, fresh, NOW, { ...terms, maxAccessTokens: 1 })
  expect([replaced.dropped, replaced.accessTokens.map(({ hash }) => hash)]).toEqual([true, [hashOf(9)]])
})

const REASON = { 'of another key': 'subject_token_of_other_key', 'without a key': 'resource_needs_proof' }

/** The key of the new token, or why there is none. */
function keyAfter(parent: string | undefined, request: string | undefined, client: Client, resource: number) {
  const [bound, plain] = RESOURCES as [string, string]
  const exchange = {
    client,
    scope: 'a',
    resources: [[bound, plain][resource] ?? ''],
    ...{ knownResources: RESOURCES, boundResources: [bound], catalogue: {}, lifetime: 900 },
    ...{ subjectToken: hashOf(0), fresh: secretOf(1), jkt: request },
  }
  try {
    const outcome = narrowToken(grantWith({ jkt: parent }), exchange, NOW)
    return outcome.kind === 'changed' ? outcome.grant.accessTokens.at(-1)?.jkt : outcome.kind
  } catch (thrown) {
    return thrown instanceof OAuthError ? thrown.reason : thrown
  }
}

it.each([
  ['a bearer token', undefined, 'no proof', undefined, holder, 1, undefined],
  ['a bearer token', undefined, 'a proof', 'own', holder, 1, 'own'],
  ['a bound token', 'k', 'its proof', 'k', holder, 1, 'k'],
  ['a bound token', 'k', 'no proof', undefined, holder, 1, REASON['of another key']],
  ['a bound token', 'k', 'no proof, of a confidential client', undefined, api, 1, REASON['of another key']],
  ['a bound token', 'k', 'another proof', 'own', holder, 1, REASON['of another key']],
  ['a bound token', 'k', 'another proof, of a confidential client', 'own', api, 1, 'own'],
  [
    'a bearer token',
    undefined,
    'no proof, for a bound resource',
    undefined,
    holder,
    0,
    REASON['without a key'],
  ],
  ['a bearer token', undefined, 'a proof, for a bound resource', 'own', holder, 0, 'own'],
])(
  '%s (%s) exchanged with %s (%s): the key of the new token',
  (_, parent, __, request, client, resource, key) => {
    expect(keyAfter(parent, request, client, resource)).toBe(key)
  },
)

it('tokens that have expired leave the record', () => {
  const grant = grantWith({})
  const [token] = grant.accessTokens as [AccessTokenState]
  const others = [NOW - 1, NOW, NOW + 1].map((expiresAt) => ({
    ...token,
    hash: hashOf(expiresAt),
    expiresAt,
  }))
  const { accessTokens } = exchanged({ ...grant, accessTokens: [token, ...others] }, 0, 1)
  expect(accessTokens.map(({ hash }) => hash)).toEqual([hashOf(0), hashOf(NOW + 1), hashOf(1)])
})
