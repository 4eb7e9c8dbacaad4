import { expect, it } from 'vitest'
import { type ProvingKey, provingKey } from '../../../test/dpop-key.ts'
import { isSigned, readProof } from './dpop-proof.ts'

const CLAIMS = { jti: 'once', htm: 'POST', htu: 'https://notes.example/token', iat: 1_800_000_000 }
const key = provingKey()
const other = provingKey()

const proofBy = ({ proof }: ProvingKey) => readProof(proof(CLAIMS), ['ES256'])
const [own, others] = [proofBy(key), proofBy(other)]

/** Whether a key is remembered under a name: then a proof by another key of that name fails. */
const isRemembered = (thumbprint: string) => !isSigned({ ...others, thumbprint })

it('the last thousand keys are imported once: the one that was used least recently is forgotten', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `key ${index}`)
  for (const name of names) expect(isSigned({ ...own, thumbprint: name })).toBe(true)
  expect(isRemembered('key 0'), 'and is now the last one that was used').toBe(true)
  expect(isSigned({ ...own, thumbprint: 'one more' })).toBe(true)
  expect(isRemembered('key 0')).toBe(true)
  expect(isRemembered('key 1')).toBe(false)
})
