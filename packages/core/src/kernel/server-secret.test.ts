import { describe, expect, it } from 'vitest'
import { strongRandom } from './secrets.ts'
import {
  acceptedSecrets,
  openText,
  type ServerSecret,
  sealingKeys,
  sealText,
  successorKeys,
} from './server-secret.ts'

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

  it('of a record without a key need no secret', () => {
    const again = deriveAgain('a', undefined)
    expect(again).toEqual(before.deriveAgain('a', undefined))
    expect(again?.map(({ length }) => length)).toEqual([43, 43])
    expect(again).not.toEqual(derive('a'))
  })
})
