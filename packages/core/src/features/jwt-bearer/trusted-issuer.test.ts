import { expect, it } from 'vitest'
import { idpKey, jwksOf } from '../../../test/assertions.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { trustedIssuers } from './trusted-issuer.ts'

const kernel = {
  now: () => 0,
  emit: () => undefined,
  resources: ['https://api.example'],
} as unknown as Kernel

it('keys of a trust that is looked up for each request are checked once, for they are imported by their object', async () => {
  const jwks = jwksOf(idpKey)
  const read = trustedIssuers(kernel, undefined)
  const keysOf = (looked: typeof jwks) =>
    read('trust', { issuer: 'https://idp.example', jwks: structuredClone(looked) }).keys.keys(0)
  const [first] = await keysOf(jwks)
  expect(first).toBeDefined()
  expect((await keysOf(jwks))[0]).toBe(first)
  for (let kid = 0; kid < 1001; kid++)
    await keysOf({ keys: jwks.keys.map((key) => ({ ...key, kid: String(kid) })) })
  expect((await keysOf(jwks))[0], 'a thousand sets later').not.toBe(first)
})
