import { quickHash } from '@grantkit/test-servers/quick-hash'
import { expect, it } from 'vitest'
import {
  examinedHash,
  HASH_OF_NO_PASSWORD,
  hashPassword,
  hashWarnings,
  isOutdated,
  passwordMatches,
} from './password-hashes.ts'

it('a password is hashed differently each time, with Argon2id', async () => {
  const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')])
  expect(first).not.toBe(second)
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(examinedHash(first)).toEqual({ scheme: 'argon2id' })
})

it.each([
  ['longer by a NUL', 'same\0', false],
  ['longer by NULs up to the block of the hash', 'same'.padEnd(64, '\0'), false],
  ...['\t', '\n', '\x7f', ' '].map((more): [string, string, boolean] => [
    'longer by a character',
    `same${more}`,
    false,
  ]),
  ['in other letters of the same form', 's\uff41me', true],
  ['in capitals', 'Same', false],
])(
  'UI-11: a password matches itself alone, in any form of its letters: %s',
  async (_, presented, matches) => {
    expect(await passwordMatches(presented, await hashPassword('same'))).toBe(matches)
    expect(await passwordMatches(presented, quickHash('same'))).toBe(matches)
  },
)

it('a password of another system matches as it was typed there', async () => {
  // Of `pässword` with a combining mark, which Django hashes as it is.
  const typed = 'pa\u0308ssword'
  const hash = `$pbkdf2-sha256$i=1$c2Vhc2FsdDI$${await pbkdf2Of(typed)}`
  expect([await passwordMatches(typed, hash), await passwordMatches('p\u00e4ssword', hash)]).toEqual([
    true,
    false,
  ])
})

it.each(['same\0', 'sa\nme', 'same\x7f', '\u0085'])('a password cannot be set to %j', async (password) => {
  await expect(hashPassword(password)).rejects.toThrow('control characters')
})

it('a hash of an unknown form is no wrong password', async () => {
  await expect(passwordMatches('same', 'scrypt$another')).rejects.toThrow('unknown form')
})

it('without the pepper of a hash no password is right, not even that of its bcrypt', async () => {
  const bcrypt = '$2b$04$Bvbl2HBedy9y/Fc1VTq38O0mAW7c9kwx.Zjn97OPFj7Zeq7Cas4z.'
  let missing = 0
  const secrets = { onPepperMissing: () => void missing++ }
  expect(await passwordMatches('password', bcrypt, secrets)).toBe(true)
  expect(await passwordMatches('password', `bcrypt_pepper$${bcrypt}`, secrets)).toBe(false)
  expect(missing).toBe(1)
})

it('only a hash of another kind or cost is outdated', async () => {
  expect([isOutdated(await hashPassword('same')), isOutdated(HASH_OF_NO_PASSWORD), isOutdated('')]).toEqual([
    false,
    false,
    false,
  ])
  const others = [
    quickHash('same'),
    '$argon2id$v=19$m=19456,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw',
  ]
  expect(others.map(isOutdated)).toEqual([true, true])
})

it('an operator hears where Argon2 is missing', () => {
  expect(hashWarnings()).toEqual([])
  expect(hashWarnings(false)).toEqual([expect.stringContaining('OpenSSL is older than 3.2')])
})

async function pbkdf2Of(password: string): Promise<string> {
  const { pbkdf2Sync } = await import('node:crypto')
  return pbkdf2Sync(password, 'seasalt2', 1, 32, 'sha256').toString('base64').replaceAll('=', '')
}
