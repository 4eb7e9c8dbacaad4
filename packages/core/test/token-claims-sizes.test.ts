import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { MCP, openClaimsService } from './claims-service.ts'
import { codeFor, redeem, tokensFor } from './client.ts'

/** How large the result of `tokenClaims` may be, and what it must be. */

const FAR = { scope: 'openid courses:read', resource: MCP }
const ROLES = () => ({ roles: ['editor'] })

describe('claims that no token may have', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic

  it.each([
    ['more than 2048 bytes', { groups: 'x'.repeat(2048) }],
    ['more than 2048 bytes in UTF-8', { groups: 'é'.repeat(1024) }],
    ['more than 4 levels', { a: { b: { c: { d: {} } } } }],
    ['a list', ['admin']],
    ['a text', 'admin'],
    ['a time', new Date(0)],
    ['a function', () => 'admin'],
    ['a BigInt', { id: 1n }],
    ['a cycle', cyclic],
  ])(
    'OC-06: claims that no token may have are a 500 that costs no code, and the operator reads which client it was: %s',
    async (_, claims) => {
      const { service, client, hook } = await openClaimsService(() => claims as Record<string, unknown>)
      const code = await codeFor(service, client.clientId, FAR)
      expect((await redeem(service, client, code)).status).toBe(500)
      const message = expect.stringContaining(client.clientId)
      expect(service.events).toContainEqual(
        expect.objectContaining({ type: 'failed', cause: expect.objectContaining({ message }) }),
      )
      hook.tokenClaims = ROLES
      expect((await redeem(service, client, code)).status).toBe(200)
    },
  )

  it.each([
    ['2048 bytes', { groups: 'x'.repeat(2048 - '{"groups":""}'.length) }],
    ['4 levels', { a: { b: { c: { d: 1 } } } }],
    ['none', undefined],
    ['an empty object', {}],
  ])('%s: is not too much', async (_, claims) => {
    const { service, client } = await openClaimsService(() => claims)
    const { access_token } = await tokensFor(service, client, FAR)
    expect(decodeJwt(access_token)).toMatchObject(claims ?? {})
  })
})
