import { expect, it } from 'vitest'
import { DEMO_ACCOUNTS } from './demo-accounts.ts'

it('the first demo account has every claim of the scope profile', () => {
  const names = 'name family_name given_name middle_name nickname preferred_username profile picture website'
  const others = 'gender birthdate zoneinfo locale updated_at'
  const claims = Object.keys(DEMO_ACCOUNTS[0]?.account ?? {})
  expect(claims).toEqual(expect.arrayContaining(`${names} ${others}`.split(' ')))
})
