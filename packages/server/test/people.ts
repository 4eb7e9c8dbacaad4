import { randomUUID } from 'node:crypto'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import type { Account } from '../src/accounts/accounts.ts'
import type { Service } from '../src/service/service.ts'

/** Accounts of tests. */
export const DANA = person('demo', 'Dana Moore')
export const THEO = person('teacher', 'Theo Chen')

function person(word: string, name: string) {
  return {
    id: `${word}-account`,
    email: `${word}@example.com`,
    email_verified: true,
    name,
    updated_at: 1_767_225_600,
    password: quickHash(word),
  } satisfies Account
}

/** An account of its own for a test. @param password empty: there is none */
export async function newUser(
  { accounts }: Pick<Service, 'accounts'>,
  password: string,
  { email_verified = true } = {},
): Promise<{ readonly id: string; readonly email: string }> {
  const id = randomUUID()
  const email = `${id}@example.com`
  const hash = password && quickHash(password)
  await accounts.add({ id, email, email_verified, name: 'Ada', updated_at: 0, password: hash })
  return { id, email }
}
