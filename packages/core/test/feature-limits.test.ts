import {
  defineErrors,
  type ExchangePlan,
  type FeatureParts,
  type Grant,
  type GrantType,
  type Kernel,
  newGrantId,
  newId,
  newSecret,
  type RefreshState,
  sha256,
} from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { bodyOf, requestToken, tokensFor } from './client.ts'
import { openService, REDIRECT_URI } from './service.ts'

/** What a feature cannot do: use a name of core, or issue more than the server allows. */

const text = z.string().optional()

describe('a server is not created with a feature', () => {
  it.each<[string, FeatureParts, string]>([
    ['by a member of client metadata', { clientMetadata: () => ({ grant_types: text }) }, 'grant_types'],
    [
      'by a member of the answer to a registration',
      { clientMetadata: () => ({ client_id: text }) },
      'client_id',
    ],
    [
      'by a member of an integration',
      { clientMetadata: (registeredBy) => (registeredBy === 'client' ? {} : { resource_server: text }) },
      'resource_server',
    ],
    [
      'by a member of resource metadata',
      { resourceMetadata: { authorization_servers: ['https://evil.example'] } },
      'authorization_servers',
    ],
    [
      'by a member of resource metadata that core leaves out here',
      { resourceMetadata: { resource_documentation: 'https://evil.example' } },
      'resource_documentation',
    ],
  ])('%s which is of core', (_, feature, named) => {
    expect(() => openService({ features: [() => feature] })).toThrow(named)
  })

  it.each<[string, FeatureParts, string]>([
    ['client metadata', { clientMetadata: () => ({ colour: text }) }, 'clientMetadata has colour twice'],
    ['resource metadata', { resourceMetadata: { colour: 'red' } }, 'resourceMetadata has colour twice'],
    ['rate limits', { rateLimits: { colour: { points: 1, seconds: 1 } } }, 'rateLimits has colour twice'],
    ['errors', { errors: defineErrors({ colour: ['invalid_request', ''] }) }, 'errors has colour twice'],
  ])('by a member of %s that another feature has', (_, feature, fault) => {
    expect(() => openService({ features: [() => feature, () => feature] })).toThrow(fault)
  })
})

it('a member that a feature adds to a token response replaces none of core or of a feature before it', async () => {
  const tokenMembers = { prepare: () => async () => ({ access_token: 'mine', colour: 'red' }) }
  const later = { prepare: async () => () => ({ colour: 'blue' }) }
  const service = openService({ features: [() => ({ tokenMembers }), () => ({ tokenMembers: later })] })
  const client = await service.server.clients.add({ clientName: 'App', redirectUris: [REDIRECT_URI] })
  const tokens = await tokensFor(service, client)
  expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^gka_/), colour: 'red' })
})

interface Issued {
  readonly scopes?: readonly string[]
  readonly life?: number
  /** With a refresh token of this life, and a grant of that one. */
  readonly refresh?: readonly [refreshToken: number, grant: number]
  /** What the response contains, if it differs from the record. */
  readonly says?: { readonly scopes?: readonly string[]; readonly expiresIn?: number }
}

/** A grant type that issues what a test wants, to the user `alice`. */
function issuing(
  { store, random }: Kernel,
  { scopes = ['courses:read'], life = 60, refresh, says }: Issued,
): GrantType {
  return {
    name: 'anything',
    message: z.object({}),
    exchange({ client: { clientId }, now }) {
      const accessToken = newSecret(random)
      const token = { family: newId(random), generation: 0, secret: newSecret(random) }
      const times = { issuedAt: now, expiresAt: now + life }
      const grant: Grant = {
        ...{ id: newGrantId(random), subject: 'alice', clientId, scopes, resources: [] },
        ...{ createdAt: now, usedAt: now, expiresAt: now + (refresh?.[1] ?? life) },
        refresh: refresh && refreshOf(token, now + refresh[0]),
        accessTokens: [{ hash: sha256(accessToken), scopes, resources: [], ...times }],
      }
      const refreshToken = refresh && token
      return {
        grant,
        issued: { accessToken, refreshToken, scopes, resources: [], expiresIn: life, ...says },
        commit: () => store.grants.insert(grant.id, grant, grant.expiresAt),
      }
    },
  }
}

type RefreshToken = NonNullable<ExchangePlan['issued']['refreshToken']>

function refreshOf({ family, generation, secret }: RefreshToken, expiresAt: number): RefreshState {
  const hash = sha256(`${family}.${generation}.${secret}`)
  return { familyHash: sha256(family), generation, hash, expiresAt }
}

async function issued(what: Issued, lifetimes?: GrantType['lifetimes']) {
  const service = openService({
    features: [(kernel) => ({ grantTypes: [{ ...issuing(kernel, what), lifetimes }] })],
    lifetimes: { accessToken: 600, refreshToken: 1000, grant: 2000 },
  })
  const { clientId: client_id, clientSecret: client_secret = '' } = await service.server.clients.add({
    clientName: 'App',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'anything'],
    scopes: ['courses:read'],
  })
  const answer = await requestToken(service, { client_id, client_secret, grant_type: 'anything' })
  const event = service.events.find(({ type }) => type === 'failed' || type === 'refused')
  const { grants } = await service.server.grants.list('alice')
  return { status: answer.status, ...bodyOf(answer), event, stored: grants.length }
}

describe('the grant type of a feature', () => {
  it('issues a token within the terms of the server', async () => {
    expect(await issued({ life: 600 })).toMatchObject({ status: 200, expires_in: 600, scope: 'courses:read' })
  })

  it.each<[string, Issued, string]>([
    ['outside the catalogue', { scopes: ['courses:burn'] }, 'scope_unknown'],
    ['outside the catalogue in its answer alone', { says: { scopes: ['courses:burn'] } }, 'scope_unknown'],
    ['that its client may not ask for', { scopes: ['students:read'] }, 'scope_not_registered'],
  ])('issues no token with a scope %s', async (_, what, reason) => {
    const refused = { status: 400, error: 'invalid_scope', event: { reason }, stored: 0 }
    expect(await issued(what)).toMatchObject(refused)
  })

  it.each<[string, Issued, string]>([
    ['an access token for longer than the server', { life: 601 }, 'accessToken lives 601'],
    [
      'one for longer, whatever its answer says',
      { life: 601, says: { expiresIn: 60 } },
      'accessToken lives 601',
    ],
    ['one for longer by its answer alone', { says: { expiresIn: 601 } }, 'accessToken lives 601'],
    ['one whose end is no number', { says: { expiresIn: Number.NaN } }, 'accessToken lives NaN'],
    ['a refresh token for longer than the server', { refresh: [1001, 2000] }, 'refreshToken lives 1001'],
    ['a refresh token of a grant that lives longer', { refresh: [1000, 2001] }, 'grant lives 2001'],
  ])('does not issue %s, and the reason is logged', async (_, what, named) => {
    const { status, event, stored } = await issued(what)
    expect([status, event, stored]).toEqual([500, expect.objectContaining({ type: 'failed' }), 0])
    expect(String((event as { cause?: unknown }).cause)).toContain(`anything: ${named} seconds, longer than`)
  })

  it('issues longer-lived tokens if it declares it', async () => {
    const refresh = [1001, 2001] as const
    const lifetimes = { accessToken: 601, refreshToken: 1001, grant: 2001 }
    expect(await issued({ life: 601, refresh }, lifetimes)).toMatchObject({ status: 200, expires_in: 601 })
  })
})
