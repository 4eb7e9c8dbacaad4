import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { Account } from '../src/accounts/accounts.ts'
import { accountFor } from '../src/upstream/account-for.ts'
import type { Identity } from '../src/upstream/identity.ts'
import { identityRows } from '../src/upstream/identity-rows.ts'
import type { Provider } from '../src/upstream/providers.ts'
import { connected, onBothDatabases } from './on-both-databases.ts'

const PROVIDER: Provider = {
  id: 'partner',
  label: 'Partner',
  issuer: 'https://partner.example',
  client_id: 'harbour',
  client_secret: 'secret',
  scope: 'openid email',
  sign_up: false,
  link_verified_email: false,
}
const IDENTITY: Identity = {
  issuer: 'https://partner.example',
  subject: 'a1',
  email: 'alice@school.example',
  emailVerified: true,
  name: 'Alice',
  authTime: 0,
}

onBothDatabases((newDatabase) => {
  async function open(of: Partial<Account> = {}) {
    const database = await connected(await newDatabase())
    const rows = { accounts: accountRows(database, () => {}), identities: identityRows(database) }
    const alice: Account = {
      id: randomUUID(),
      email: 'alice@school.example',
      email_verified: true,
      name: 'Alice',
      updated_at: 0,
      password: 'scrypt$a',
      ...of,
    }
    await rows.accounts.add(alice)
    return {
      rows,
      alice,
      for: (identity: Partial<Identity>, provider: Partial<Provider> = {}, signedIn?: Account) =>
        accountFor(rows, { ...PROVIDER, ...provider }, { ...IDENTITY, ...identity }, signedIn),
    }
  }

  it('signs in to the account that linked it, whatever address it has by now', async () => {
    const opened = await open()
    expect(await opened.for({}, {}, opened.alice)).toEqual(opened.alice)
    expect(await opened.for({ email: 'alice@elsewhere.example' })).toEqual(opened.alice)
    expect(await opened.for({}, {}, opened.alice), 'linked twice').toEqual(opened.alice)
    expect(await opened.rows.identities.list(opened.alice.id)).toMatchObject([{ shownAs: IDENTITY.email }])
  })

  it('is never taken for an account by its address alone', async () => {
    const opened = await open()
    expect(await opened.for({})).toBe('email_in_use')
    expect(await opened.for({ email: 'Alice@SCHOOL.example' }, { sign_up: true })).toBe('email_in_use')
    expect(await opened.rows.identities.list(opened.alice.id)).toEqual([])
  })

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ])('is linked by an address verified there (%s) and here (%s): %s', async (there, here, linked) => {
    const opened = await open({ email_verified: here })
    const found = await opened.for({ emailVerified: there }, { link_verified_email: true })
    expect(found).toEqual(linked ? opened.alice : 'email_in_use')
  })

  it.each([
    [false, 'new@school.example', true, false],
    [true, 'new@school.example', false, true],
    [true, undefined, false, false],
    [{ email_domains: ['school.example'] }, 'new@School.Example', true, true],
    [{ email_domains: ['school.example'] }, 'new@school.example', false, false],
    [{ email_domains: ['school.example'] }, 'new@evil.example', true, false],
    [{ email_domains: ['school.example'] }, 'new@sub.school.example', true, false],
    [{ email_domains: ['school.example'] }, '"a@school.example"@evil.example', true, false],
  ] as const)(
    'signs up by the rule %j with %s (verified: %s): %s',
    async (sign_up, email, emailVerified, allowed) => {
      const opened = await open()
      const rule = typeof sign_up === 'boolean' ? sign_up : { email_domains: [...sign_up.email_domains] }
      const found = await opened.for({ subject: 'new', email, emailVerified }, { sign_up: rule })
      if (!allowed) return expect(found).toBe('sign_up_refused')
      expect(found).toMatchObject({
        email: 'new@school.example',
        email_verified: emailVerified,
        password: '',
      })
      expect(await opened.for({ subject: 'new', email, emailVerified })).toEqual(found)
    },
  )

  it('makes an account that no password opens', async () => {
    const { rows, for: forIdentity } = await open()
    await forIdentity({ subject: 'new', email: 'new@school.example' }, { sign_up: true })
    for (const password of ['', ' ', '\0', 'undefined'])
      expect(await rows.accounts.verify('new@school.example', password)).toBeUndefined()
  })

  it('makes one account of many sign-ups at once', async () => {
    const opened = await open()
    const asked = Array.from({ length: 8 }, () =>
      opened.for({ subject: 'n', email: 'n@school.example' }, { sign_up: true }),
    )
    const made = (await Promise.all(asked)).filter((found) => typeof found !== 'string')
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  })

  it('stays with the account that has it', async () => {
    const opened = await open()
    await opened.for({}, {}, opened.alice)
    const bob = { ...opened.alice, id: randomUUID(), email: 'bob@school.example' }
    await opened.rows.accounts.add(bob)
    expect(await opened.for({}, {}, bob)).toBe('identity_in_use')
    expect(await opened.for({}, { sign_up: true })).toEqual(opened.alice)
  })

  it('signs nobody in to an account that is disabled, and goes with one that is removed', async () => {
    const opened = await open()
    await opened.for({}, {}, opened.alice)
    await opened.rows.accounts.setDisabled(opened.alice.email, true)
    expect(await opened.for({}, { sign_up: true })).toBe('account_disabled')
    await opened.rows.accounts.remove(opened.alice.email)
    expect(await opened.rows.identities.find(IDENTITY.issuer, IDENTITY.subject)).toBeUndefined()
    expect(await opened.for({})).toBe('sign_up_refused')
  })
})
