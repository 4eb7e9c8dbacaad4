import { createPrivateKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { newSigningKeys } from './new-signing-keys.ts'

it('makes a key for each algorithm, every one of another kid', async () => {
  const keys = await newSigningKeys()
  expect(keys.map(({ alg, kty }) => `${alg} ${kty}`)).toEqual(['RS256 RSA', 'ES256 EC', 'EdDSA OKP'])
  const others = await newSigningKeys(['RS256', 'RS256'])
  expect(new Set([...keys, ...others].map(({ kid }) => kid)).size).toBe(5)
  for (const key of JSON.parse(JSON.stringify(keys)))
    expect(createPrivateKey({ key, format: 'jwk' }).type, 'it survives a file').toBe('private')
})
