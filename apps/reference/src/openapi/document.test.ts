import { createAuthorizationServer, type Feature } from '@grantkit/core'
import { json } from '@grantkit/core/feature'
import { organizations } from '@grantkit/core/organizations'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { oauthEndpoints, openApiDocument } from './document.ts'

const issuer = 'https://notes.example'
const scopes = { 'notes:read': { description: 'Read your notes' } } as const
const Voucher = z.object({ voucher: z.string() })

/** A grant type, a client authentication method and an endpoint of which this folder knows nothing. */
const vouchers: Feature = () => ({
  grantTypes: [
    {
      name: 'urn:example:voucher',
      message: Voucher,
      exchange: () => Promise.reject(new Error('not called')),
    },
  ],
  clientAuthMethods: [
    { name: 'badge', carrier: 'badge', read: () => ({ clientId: undefined, verify: () => false }) },
  ],
  clientEndpoints: [
    {
      ...{ path: '/api/vouchers', metadataName: 'voucher_endpoint', summary: 'What a voucher is worth' },
      message: Voucher,
      begin: () => () => Promise.resolve(json(200, { worth: 'notes:read' })),
    },
  ],
})

interface Described {
  // biome-ignore lint/suspicious/noExplicitAny: read as a consumer of the document reads it
  readonly paths: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly components: any
}

function documentWith(features: readonly Feature[], signsRequests = false): Described {
  const { description: mounted } = createAuthorizationServer({
    ...{ issuer, scopes, features, store: createMemoryStore(), secret: 's'.repeat(43) },
    interaction: {} as never,
  })
  const server = { baseUrl: issuer, scopes, resources: [], known: [], mounted }
  const described = { ...server, bindsTokens: false, signsRequests, registersWithToken: false }
  const info = { title: 'Notes', version: '1.0.0', description: 'An API of notes' }
  return openApiDocument(oauthEndpoints(described), described, info) as Described
}

it('describes what a feature of another package mounts', () => {
  const { paths, components } = documentWith([vouchers])
  expect(paths['/api/vouchers'].post).toMatchObject({ summary: 'What a voucher is worth' })
  expect(components.schemas.urn_example_voucher.properties).toMatchObject({
    grant_type: { enum: ['urn:example:voucher'] },
    voucher: { type: 'string' },
  })
  const { schema } = paths['/api/oauth/token'].post.requestBody.content['application/x-www-form-urlencoded']
  expect(schema.oneOf).toContainEqual({ $ref: '#/components/schemas/urn_example_voucher' })
  const registered = components.schemas.ClientRegistration.properties.token_endpoint_auth_method.enum
  expect(registered, 'a method is for integrations unless it says otherwise').not.toContain('badge')
})

it.each([true, false])(
  'authorization requests and pushed ones have the same parameters; signed: %s',
  (signed) => {
    const features = [pushedAuthorizationRequests(), organizations({ of: () => [] })]
    const { paths } = documentWith(features, signed)
    const asked = paths['/oauth/authorize'].get.parameters.map(({ name }: { name: string }) => name)
    const { schema } = paths['/api/oauth/par'].post.requestBody.content['application/x-www-form-urlencoded']
    const pushed = Object.keys(schema.properties).filter((name) => name !== 'client_secret')
    expect(asked.toSorted()).toEqual([...pushed, 'request_uri'].toSorted())
    expect(asked).toContain('organization')
    expect(asked.includes('request')).toBe(signed)
  },
)

it('has no trace of a feature that is not mounted', () => {
  expect(JSON.stringify(documentWith([]))).not.toMatch(/voucher|badge/)
})
