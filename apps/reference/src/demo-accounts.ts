import type { DemoAccount } from '@grantkit/server'

/** A user with every claim of the scope `profile`. */
const DANA = {
  given_name: 'Dana',
  family_name: 'Moore',
  middle_name: 'Ines',
  nickname: 'Dee',
  preferred_username: 'dana.moore',
  profile: 'https://example.com/dana',
  picture: 'https://example.com/dana.png',
  website: 'https://example.com/',
  gender: 'female',
  birthdate: '1990-04-02',
  zoneinfo: 'Europe/Lisbon',
  locale: 'en-GB',
}
const DANA_HASH = 'scrypt$32768$8$1$GzqJchR3bu_vGQBKIFLw9A$2UjgNl8wxiNHA9Y6wSVzrAm7iFS-mKE-vHwLrA8DrQ0'
const THEO = { given_name: 'Theo', family_name: 'Chen' }
const THEO_HASH = 'scrypt$32768$8$1$N3w9ZtlEkYiKqRLI2VMVAA$5jqctzjbpj9OAhoBkCV1xEXN5jXtIClTbTMFuco8XbY'

const DEMO_ACCOUNT = 'demo-account'

/** Their hashes are constant, because a new hash would sign the users out at every restart. */
export const DEMO_ACCOUNTS: readonly [DemoAccount, ...DemoAccount[]] = [
  demoAccount(DEMO_ACCOUNT, 'demo', DANA_HASH, DANA),
  demoAccount('teacher-account', 'teacher', THEO_HASH, THEO),
]

function demoAccount(
  id: string,
  publicPassword: string,
  password: string,
  profile: { readonly given_name: string; readonly family_name: string },
): DemoAccount {
  const account = {
    id,
    email: `${publicPassword}@example.com`,
    email_verified: true,
    name: `${profile.given_name} ${profile.family_name}`,
    ...profile,
    updated_at: 1_767_225_600,
    password,
  }
  return { account, publicPassword }
}
