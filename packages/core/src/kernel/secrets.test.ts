import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  acceptedSecrets,
  hmac,
  newId,
  newSecret,
  openText,
  type ServerSecret,
  sealingKeys,
  sealText,
  strongRandom,
  successorKeys,
} from './secrets.ts'

describe('strong randomness', () => {
  it('never returns the same bytes twice', () => {
    const seen = new Set<string>()
    for (let time = 0; time < 5000; time++) {
      seen.add(newSecret(strongRandom))
      seen.add(newId(strongRandom))
    }
    expect(seen.size).toBe(10_000)
  })

  it.each([1, 16, 32, 1023, 1024, 1025, 100_000])('comes in %i bytes, none of them left empty', (size) => {
    // A byte that is zero in all of these was never filled.
    const draws = Array.from({ length: 8 }, () => strongRandom(size))
    for (const draw of draws) expect(draw).toHaveLength(size)
    const empty = draws.reduce(
      (all, draw) => all.map((byte, index) => byte | (draw[index] ?? 0)),
      new Uint8Array(size),
    )
    expect(empty.includes(0)).toBe(false)
  })

  it('does not change when more is taken', () => {
    const first = strongRandom(32)
    const kept = Buffer.from(first).toString('hex')
    for (let time = 0; time < 1000; time++) strongRandom(64)
    expect(Buffer.from(first).toString('hex')).toBe(kept)
  })
})

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

const OLD = 'o'.repeat(32)
const NEW = 'n'.repeat(32)

describe('the secret of a server', () => {
  it.each<[string, ServerSecret, readonly string[]]>([
    ['one text', NEW, [NEW]],
    ['the current one and those before', [NEW, OLD], [NEW, OLD]],
  ])('is %s', (_, secret, accepted) => {
    expect(acceptedSecrets(secret)).toEqual(accepted)
  })

  it.each<[string, ServerSecret]>([
    ['too short', 'x'.repeat(31)],
    ['a variable that is not set', undefined as unknown as string],
    ['an empty list', [] as unknown as ServerSecret],
    ['with one before that is too short', [NEW, 'short']],
    ['of the documentation', 'a secret of at least 32 characters'],
    ['of the documentation before', [NEW, 'at least 32 characters, the same everywhere']],
  ])('cannot be %s', (_, secret) => {
    expect(() => acceptedSecrets(secret, 'dpopProofs: ')).toThrow(/^dpopProofs: secret/)
  })
})

describe('a sealed text', () => {
  const keys = sealingKeys([NEW, OLD], 'tickets')
  const sealed = sealText(keys, strongRandom, 'grüße')

  it('is opened by the current secret and by those before', () => {
    expect(openText(keys, sealed)).toBe('grüße')
    expect(openText(keys, sealText(sealingKeys([OLD], 'tickets'), strongRandom, 'old'))).toBe('old')
    expect(openText(keys, sealText(keys, strongRandom, ''))).toBe('')
  })

  it('is another one each time', () => {
    expect(sealText(keys, strongRandom, 'grüße')).not.toBe(sealed)
  })

  it.each([
    [
      'of a secret that is not accepted',
      sealText(sealingKeys(['x'.repeat(32)], 'tickets'), strongRandom, 'a'),
    ],
    ['for another purpose', sealText(sealingKeys([NEW], 'cookies'), strongRandom, 'a')],
    ['in another form', `${sealed}=`],
    ['with a changed letter', sealed.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))],
    ['that is cut off', sealed.slice(0, -4)],
    ['that is shorter than its nonce and tag', 'A'.repeat(36)],
    ['that is empty', ''],
  ])('%s is not opened', (_, presented) => {
    expect(openText(keys, presented)).toBeUndefined()
  })
})

describe('the successors of a token', () => {
  const { keyId, derive, deriveAgain } = successorKeys([NEW, OLD])
  const before = successorKeys(OLD)

  it('are two secrets of one length, which differ by text and by key', () => {
    const secrets = [...derive('a'), ...derive('b'), ...before.derive('a')]
    expect(new Set(secrets).size).toBe(6)
    expect(secrets.map(({ length }) => length)).toEqual(Array(6).fill(43))
  })

  it('are derived again by the key of the record, as long as its secret is accepted', () => {
    expect(deriveAgain('a', keyId)).toEqual(derive('a'))
    expect(deriveAgain('a', before.keyId)).toEqual(before.derive('a'))
    expect(before.deriveAgain('a', keyId)).toBeUndefined()
  })
})
