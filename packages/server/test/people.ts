import { quickHash } from '@grantkit/test-servers/quick-hash'
import type { Account } from '../src/accounts/accounts.ts'

/** Accounts of tests. */
export const DANA = person('demo', 'Dana Moore')
export const THEO = person('teacher', 'Theo Chen')

function person(word: string, name: string): Account {
  return {
    id: `${word}-account`,
    email: `${word}@example.com`,
    email_verified: true,
    name,
    updated_at: 1_767_225_600,
    password: quickHash(word),
  }
}
