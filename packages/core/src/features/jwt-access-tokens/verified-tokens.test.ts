import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { expect, it, vi } from 'vitest'
import { AccessTokenClaims, verifiedOnce } from './verified-tokens.ts'

const NOW = 1_800_000_000
const MAX_TOKENS = 10

/** Verifies tokens, and counts them. */
async function openVerification() {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA')
  const keySet = createLocalJWKSet({ keys: [await exportJWK(publicKey)] })
  const verified: string[] = []
  const claimsIn = vi.fn((payload) => AccessTokenClaims.safeParse(payload).data)
  const read = verifiedOnce({
    keyFor: (header) => keySet(header),
    async verify(text) {
      verified.push(text)
      const { payload, ...result } = await jwtVerify(text, keySet, { currentDate: new Date(0) })
      return { ...result, claims: AccessTokenClaims.parse(payload) }
    },
    claimsIn,
    now: () => NOW,
    maxTokens: MAX_TOKENS,
  })
  const claims = { iss: 'i', sub: 's', aud: 'a', client_id: 'c', iat: NOW, exp: NOW + 300, scope: '' }
  const tokenOf = (number: number) => {
    const jti = `${String(number).padStart(22, '0')}.${'x'.repeat(43)}`
    return new SignJWT({ ...claims, jti }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey)
  }
  const tokens = await Promise.all(Array.from({ length: 100 }, (_, number) => tokenOf(number)))
  return { read, verified, tokens, claimsIn }
}

it('a flood of valid tokens is verified each time: no more than the maximum are remembered', async () => {
  const { read, verified, tokens } = await openVerification()
  for (const token of tokens) await read(token)
  verified.length = 0
  for (const token of tokens.toReversed()) await read(token)
  expect(tokens.length - verified.length).toBeLessThanOrEqual(MAX_TOKENS)
  expect(tokens.length - verified.length).toBeGreaterThanOrEqual(MAX_TOKENS / 2)
})

it('a token is forgotten that was not used since half of the maximum came twice', async () => {
  const { read, verified, tokens } = await openVerification()
  for (const token of tokens.slice(0, MAX_TOKENS + 1)) await read(token)
  await read(String(tokens[0]))
  expect(verified).toHaveLength(MAX_TOKENS + 2)
})

it('a token stays remembered, and its claims too, however many others are invalid', async () => {
  const { read, verified, tokens, claimsIn } = await openVerification()
  const [token = ''] = tokens
  await read(token)
  for (let count = 0; count < MAX_TOKENS; count++) await expect(read(`${token}${count}`)).rejects.toThrow()
  await read(token)
  expect(verified.filter((text) => text === token)).toHaveLength(1)
  expect(claimsIn).not.toHaveBeenCalled()
})

it('a token in use stays remembered in a flood of others', async () => {
  const { read, verified, tokens } = await openVerification()
  const [used = '', ...others] = tokens
  for (const other of others) {
    await read(used)
    await read(other)
  }
  expect(verified.filter((text) => text === used)).toHaveLength(1)
})

it('concurrent requests with a new token get the claims of the token', async () => {
  const { read, tokens } = await openVerification()
  const [first = '', second = ''] = tokens
  const claims = await Promise.all([first, second, first].map(read))
  expect(claims.map(({ jti }) => Number(jti.slice(0, 22)))).toEqual([0, 1, 0])
})
