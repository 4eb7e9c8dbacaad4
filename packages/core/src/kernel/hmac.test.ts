import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hmac } from './secrets.ts'

const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex')

describe.each([
  {
    of: 'a short key',
    key: Buffer.alloc(20, 0x0b),
    text: 'Hi There',
    sha256: 'b0344c61d8db3853',
    sha512: '87aa7cdea5ef619d',
  },
  {
    of: 'a text as key',
    key: Buffer.from('Jefe'),
    text: 'what do ya want for nothing?',
    sha256: '5bdcc146bf60754e',
    sha512: '164b7a7bfcf819e2',
  },
  {
    of: 'a key longer than a block',
    key: Buffer.alloc(131, 0xaa),
    text: 'Test Using Larger Than Block-Size Key - Hash Key First',
    sha256: '60e431591ee0b67f',
    sha512: '80b24263c7c1a3eb',
  },
])('the HMAC with $of', ({ key, text, ...expected }) => {
  it.each(['sha256', 'sha512'] as const)('and %s is that of RFC 4231', (algorithm) => {
    expect(hex(hmac(algorithm, key)(text)).slice(0, 16)).toBe(expected[algorithm])
  })
})

it('the HMAC of any text with any key is that of Node, whatever was computed with the key before', () => {
  const text = fc.uint8Array({ maxLength: 150 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
  const texts = fc.array(text, { minLength: 1, maxLength: 3 })
  const keys = fc.uint8Array({ maxLength: 140 })
  fc.assert(
    fc.property(fc.constantFrom('sha256', 'sha512'), keys, texts, (algorithm, key, sent) => {
      const byNode = sent.map((text) => createHmac(algorithm, key).update(text).digest('base64url'))
      expect(sent.map(hmac(algorithm, key))).toEqual(byNode)
    }),
  )
})
