import {
  type Client,
  type Feature,
  type Grant,
  type GrantType,
  type Kernel,
  newGrantId,
  newSecret,
  sha256,
} from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bodyOf, requestToken, tokensFor } from './client.ts'
import { openSchool, REDIRECT_URI } from './school.ts'

/** What a feature cannot do: take a name of core, or give more than the server gives. */

const text = z.string().optional()

describe('a feature stops the start', () => {
  it.each<[string, Feature, string]>([
    ['by a member of client metadata', { clientMetadata: () => ({ grant_types: text }) }, 'grant_types'],
    [
      'by a member of the answer to a registration',
      { clientMetadata: () => ({ client_id: text }) },
      'client_id',
    ],
    [
      'by a member of an integration',
      { clientMetadata: (itself) => (itself ? {} : { resource_server: text }) },
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
    expect(() => openSchool({ features: [() => feature] })).toThrow(named)
  })

  it.each<[string, Feature, string]>([
    ['client metadata', { clientMetadata: () => ({ colour: text }) }, 'clientMetadata has colour twice'],
    ['resource metadata', { resourceMetadata: { colour: 'red' } }, 'resourceMetadata has colour twice'],
  ])('by a member of %s that another feature has', (_, feature, fault) => {
    expect(() => openSchool({ features: [() => feature, () => feature] })).toThrow(fault)
  })
})

it('a member that a feature adds to a token response replaces none of core', async () => {
  const tokenMembers = {
    requireMakeable: () => {},
    membersOf: async () => ({ access_token: 'mine', colour: 'red' }),
  }
  const school = openSchool({ features: [() => ({ tokenMembers })] })
  const client = await school.server.clients.add({ client_name: 'App', redirect_uris: [REDIRECT_URI] })
  const tokens = await tokensFor(school, client)
  expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^gka_/), colour: 'red' })
})

interface Issued {
  readonly scopes?: readonly string[]
  readonly life?: number
  /** What the answer says, where it differs from the record. */
  readonly says?: { readonly scopes?: readonly string[]; readonly expiresIn?: number }
}

/** A grant type that issues what a test wants, to the user `alice`. */
function issuing(
  { store, now, random }: Kernel,
  { scopes = ['courses:read'], life = 60, says }: Issued,
): GrantType {
  return {
    name: 'anything',
    message: z.object({}),
    async exchange({ clientId }: Client) {
      const accessToken = newSecret(random)
      const times = { issuedAt: now(), expiresAt: now() + life }
      const grant: Grant = {
        ...{ id: newGrantId(random), subject: 'alice', clientId, scopes, resources: [] },
        ...{ createdAt: now(), usedAt: now(), expiresAt: now() + life },
        accessTokens: [{ hash: sha256(accessToken), scopes, resources: [], ...times }],
      }
      await store.grants.insert(grant.id, grant, grant.expiresAt)
      return { grant, issued: { accessToken, scopes, resources: [], expiresIn: life, ...says } }
    },
  }
}

async function issued(what: Issued, longest?: number) {
  const school = openSchool({
    features: [(kernel) => ({ grantTypes: [{ ...issuing(kernel, what), longest }] })],
    lifetimes: { accessToken: 600 },
  })
  const { client_id, client_secret = '' } = await school.server.clients.add({
    client_name: 'App',
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'anything'],
    scope: 'courses:read',
  })
  const answer = await requestToken(school, { client_id, client_secret, grant_type: 'anything' })
  const event = school.events.find(({ type }) => type === 'failed' || type === 'refused')
  return { status: answer.status, ...bodyOf(answer), event }
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
    expect(await issued(what)).toMatchObject({ status: 400, error: 'invalid_scope', event: { reason } })
  })

  it.each<[string, Issued]>([
    ['longer than the server lets one live', { life: 601 }],
    ['longer, though its answer says otherwise', { life: 601, says: { expiresIn: 60 } }],
    ['longer by its answer alone', { says: { expiresIn: 601 } }],
  ])('issues no token that lives %s, and the operator learns why', async (_, what) => {
    const { status, event } = await issued(what)
    expect([status, event]).toEqual([500, expect.objectContaining({ type: 'failed' })])
    expect(String((event as { cause?: unknown }).cause)).toContain('anything issued a token for 601 seconds')
  })

  it('issues tokens for longer if it says so', async () => {
    expect(await issued({ life: 601 }, 601)).toMatchObject({ status: 200, expires_in: 601 })
  })
})
