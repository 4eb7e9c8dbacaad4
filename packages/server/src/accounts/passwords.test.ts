import { describe, expect, it } from 'vitest'
import { hashPassword, passwordMatches } from './passwords.ts'

describe('a password', () => {
  it('is hashed differently each time', async () => {
    const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')])
    expect(first).not.toBe(second)
    expect(first).toMatch(/^scrypt\$32768\$8\$1\$/)
  })

  it.each([
    ['longer by a NUL', 'same\0', false],
    ['longer by NULs up to the block of the hash', 'same'.padEnd(64, '\0'), false],
    ['longer by a tab', 'same\t', false],
    ['in other letters of the same form', 's\uff41me', true],
  ])('%s: %j', async (_, presented, matches) => {
    expect(await passwordMatches(presented, await hashPassword('same'))).toBe(matches)
  })

  it.each(['same\0', 'sa\nme', 'same\x7f', '\u0085'])('cannot be set to %j', async (password) => {
    await expect(hashPassword(password)).rejects.toThrow('control characters')
  })
})
