import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it } from 'vitest'
import { memoryAccounts } from '../../test/memory-accounts.ts'
import { DANA, THEO } from '../../test/people.ts'
import { readAccounts } from './accounts.ts'

const demo = [DANA, THEO]
const { accounts } = await memoryAccounts()
for (const account of demo) await accounts.add(account)
// As a sign-up by a provider adds it.
await accounts.add({ ...DANA, id: 'new', email: 'new@example.com', password: '' })

async function temporaryFile(): Promise<string> {
  return join(await temporaryFolder(), 'accounts.json')
}

describe('accounts', () => {
  it.each<readonly [string, string, string | undefined]>([
    ['demo@example.com', 'demo', 'demo-account'],
    [' Demo@Example.COM ', 'demo', 'demo-account'],
    ['demo@example.com', 'Demo', undefined],
    ['demo@example.com', '', undefined],
    ['nobody@example.com', 'demo', undefined],
    ['constructor', 'demo', undefined],
    ['demo@example.com\0', 'demo', undefined],
    ...['', ' ', '\0', 'undefined'].map((password) => ['new@example.com', password, undefined] as const),
  ])('%s with %j is %s', async (email, password, id) => {
    expect((await accounts.verify(email, password))?.id).toBe(id)
  })

  it('return the claims of a user without the password', async () => {
    const claims = await accounts.claims('demo-account')
    expect(claims).toMatchObject({ name: 'Dana Moore', email: 'demo@example.com', email_verified: true })
    expect(JSON.stringify(claims)).not.toContain('scrypt')
    expect(await accounts.claims('nobody')).toBeUndefined()
  })
})

describe('the file of accounts', () => {
  it('is read back as it was written', async () => {
    const path = await temporaryFile()
    await writeFile(path, JSON.stringify({ accounts: demo }))
    expect(await readAccounts(path)).toEqual(demo)
  })

  it.each([
    [
      'a password that is not hashed',
      { id: '1', email: 'a@b.example', name: 'A', updated_at: 1, password: 'plain' },
      'hash of a password',
    ],
    ['no e-mail address', { id: '1', name: 'A', updated_at: 1, password: demo[0]?.password }, 'email'],
    ['a picture that is no address', { ...demo[0], picture: 'javascript:x' }, 'picture'],
    ['a birthdate in words', { ...demo[0], birthdate: '2 April' }, 'birthdate'],
    ['a time zone that there is none of', { ...demo[0], zoneinfo: 'Lisbon' }, 'zoneinfo'],
    ['a locale that is none', { ...demo[0], locale: 'english language' }, 'locale'],
    ['a member that is misspelt', { ...demo[0], pasword: 'x' }, 'pasword'],
  ])('is refused with %s', async (_, account, problem) => {
    const path = await temporaryFile()
    await writeFile(path, JSON.stringify({ accounts: [account] }))
    await expect(readAccounts(path)).rejects.toThrow(problem)
  })
})
