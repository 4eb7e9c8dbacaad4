import { randomUUID } from 'node:crypto'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { expect, it, onTestFinished, vi } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { Account, StoredAccount } from '../src/accounts/accounts.ts'
import { accountFor, type Identity, identityRows } from '../src/accounts/upstream/identities.ts'
import type { Provider } from '../src/config/providers.ts'
import { withoutAccounts } from './connected.ts'
import { IDENTITY, PROVIDER } from './partner.ts'

onEachDatabase((newDatabase) => {
  async function open(of: Partial<Account> = {}) {
    const { database } = await withoutAccounts(newDatabase)
    const linked: string[] = []
    const rows = {
      accounts: accountRows(database, () => {}),
      identities: identityRows(database),
      directory: accountDirectory(database),
      onLinked: (account: StoredAccount) => void linked.push(account.id),
    }
    const add = async (account: Partial<Account>) => {
      const id = randomUUID()
      const alice = { email: 'alice@server.example', email_verified: true, name: 'Alice', updated_at: 0 }
      await rows.accounts.add({ password: 'scrypt$a', ...alice, ...account, id })
      const added = await rows.accounts.find(id)
      if (added === undefined) throw new Error('The account was not added')
      return added
    }
    return {
      database,
      rows,
      linked,
      add,
      alice: await add(of),
      for: (identity: Partial<Identity>, provider: Partial<Provider> = {}, signedIn?: StoredAccount) =>
        accountFor(rows, { ...PROVIDER, ...provider }, { ...IDENTITY, ...identity }, signedIn),
    }
  }

  it('signs in to the account that linked it, whatever its current address is', async () => {
    const opened = await open()
    expect(await opened.for({}, {}, opened.alice)).toEqual(opened.alice)
    expect(await opened.for({ email: 'alice@elsewhere.example' })).toEqual(opened.alice)
    expect(await opened.for({}, {}, opened.alice), 'linked twice').toEqual(opened.alice)
    expect(await opened.rows.identities.list(opened.alice.id)).toMatchObject([
      { shownAs: IDENTITY.email, provider: PROVIDER.id },
    ])
  })

  it('is never linked to an account by its address alone', async () => {
    const opened = await open()
    expect(await opened.for({})).toBe('email_in_use')
    expect(await opened.for({}, { signUp: true })).toBe('email_in_use')
    expect(await opened.rows.identities.list(opened.alice.id)).toEqual([])
  })

  it.each([
    ['has verified', true, { email_verified: true }],
    ['has not verified', false, { email_verified: false }],
  ])('is linked by an address that the operator %s: %s', async (_, leads, here) => {
    const opened = await open(here)
    expect(await opened.for({}, { linkVerifiedEmail: true })).toEqual(leads ? opened.alice : 'email_in_use')
    expect(await opened.for({ subject: 'other', email: undefined }, { linkVerifiedEmail: true })).toBe(
      'sign_up_off',
    )
  })

  it.each([
    ['the same provider', true, PROVIDER.issuer],
    ['another provider', false, 'https://another.example'],
  ])('is linked by an address that %s verified: %s', async (_, leads, issuer) => {
    const opened = await open({ email: 'other@server.example' })
    const squatter = await opened.for({ issuer, subject: 'squatter' }, { signUp: true })
    // Its user has disconnected the provider.
    await opened.database.deleteFrom('identity').execute()
    const found = await opened.for({}, { linkVerifiedEmail: true })
    expect(found).toEqual(leads ? squatter : 'email_in_use')
  })

  const LINKS = { linkVerifiedEmail: true }

  it('is linked by an address that the provider gave to another person, to nothing', async () => {
    const opened = await open()
    expect(await opened.for({}, LINKS)).toEqual(opened.alice)
    expect(await opened.for({ subject: 'successor' }, LINKS)).toBe('email_in_use')
    expect(await opened.for({}, LINKS), 'the first one signs in as before').toEqual(opened.alice)
    expect(opened.linked).toEqual([opened.alice.id])
  })

  it('is linked by an address to one person of a provider, also at the same time', async () => {
    const opened = await open()
    const subjects = Array.from({ length: 8 }, (_, index) => `person-${index}`)
    const found = await Promise.all(subjects.map((subject) => opened.for({ subject }, LINKS)))
    expect(found.filter((account) => account !== 'email_in_use')).toHaveLength(1)
    expect(await opened.rows.identities.list(opened.alice.id)).toHaveLength(1)
  })

  it('is never linked by an address to an admin, who can connect it', async () => {
    const opened = await open()
    await opened.rows.accounts.setAdmin(opened.alice.id, true)
    expect(await opened.for({}, LINKS)).toBe('email_in_use')
    const admin = await opened.rows.accounts.find(opened.alice.id)
    expect(await opened.for({}, LINKS, admin)).toEqual(admin)
  })

  it.each([
    ['the provider verified', 'verified', true],
    ['the operator vouches for', 'vouched', true],
    ['the provider calls unverified, and the operator vouches for', 'vouched_although_false', false],
    ['Google verified once, and others assign', 'verified_once', false],
  ] as const)('is linked by an address that %s: %s, %s', async (_, standing, isLinked) => {
    const opened = await open()
    expect(await opened.for({ standing }, LINKS)).toEqual(isLinked ? opened.alice : 'email_in_use')
    expect(await opened.rows.identities.list(opened.alice.id)).toHaveLength(isLinked ? 1 : 0)
  })

  it('needs what the operator requires at every sign-in, also to be connected', async () => {
    const opened = await open()
    const staff = { groups: ['staff', 'other'] }
    const rule = { require: { groups: ['staff'] } }
    expect(await opened.for(staff, rule, opened.alice)).toEqual(opened.alice)
    expect(await opened.for(staff, rule)).toEqual(opened.alice)
    expect(await opened.for({ groups: ['other'] }, rule), 'who left the group stays out').toBe(
      'group_missing',
    )
    const bob = await opened.add({ email: 'bob@server.example' })
    expect(await opened.for({ subject: 'b' }, rule, bob)).toBe('group_missing')
    expect(await opened.rows.identities.list(bob.id)).toEqual([])
  })

  it('is an own account of nobody where an attacker has a tenant of their own with the address of a victim', async () => {
    const opened = await open()
    const attacker = { issuer: 'https://login.microsoftonline.com/t2/v2.0', subject: 'attacker' }
    const listed = { ...LINKS, signUp: true, tenants: ['t1'] }
    expect(await opened.for({ ...attacker, tenant: 't2' }, listed)).toBe('tenant_not_allowed')
    expect(await opened.for({ ...attacker, tenant: 't2' }, { ...LINKS, tenants: ['t1'] }, opened.alice)).toBe(
      'tenant_not_allowed',
    )
    const unverified = { ...attacker, email: undefined, standing: 'email_unverified', tenant: 't2' } as const
    const anyTenant = { ...LINKS, tenants: 'any', signUp: { emailDomains: ['server.example'] } } as const
    const rules = { ...anyTenant, signUp: { emailDomains: [...anyTenant.signUp.emailDomains] } }
    expect(await opened.for(unverified, rules)).toBe('email_unverified')
    expect(await opened.for({ ...unverified, tenant: undefined }, rules), 'a tid of another token').toBe(
      'tenant_not_allowed',
    )
    expect(await opened.rows.identities.list(opened.alice.id)).toEqual([])
  })

  it('is another person with the same address and organization, if its subject differs', async () => {
    const opened = await open({ email: 'other@server.example' })
    const google = { issuer: 'https://accounts.google.com', email: 'a@corp.example', tenant: 'corp.example' }
    const owner = await opened.for({ ...google, subject: '1' }, { signUp: true })
    const buyer = { ...google, subject: '2' }
    expect(await opened.for(buyer, { signUp: { tenants: ['corp.example'] }, ...LINKS })).toBe('email_in_use')
    expect(await opened.for({ ...google, subject: '1' })).toEqual(owner)
  })

  it('is linked by no address that has other letters than ASCII', async () => {
    const opened = await open()
    const kim = await opened.add({ email: 'kim@server.example' })
    for (const email of ['\u212aim@server.example', 'kim@server.example\u3000']) {
      expect((await opened.for({ email }, LINKS)) === kim, email).toBe(false)
      expect(await opened.rows.identities.list(kim.id)).toEqual([])
    }
  })

  it('gets an account without an address if the provider has not verified it', async () => {
    const opened = await open({ email: 'other@server.example' })
    const squatter = await opened.for({ subject: 'squatter', email: undefined }, { signUp: true })
    expect(squatter).toMatchObject({ email_verified: false, emailSource: undefined })
    expect(squatter).not.toHaveProperty('email')
    const owner = await opened.for({}, { signUp: true })
    expect(owner).toMatchObject({ email: IDENTITY.email, emailSource: IDENTITY.issuer })
  })

  it.each([
    [false, 'new@server.example', 'sign_up_off'],
    [true, undefined, undefined],
    [{ emailDomains: ['server.example'] }, 'new@server.example', undefined],
    [{ emailDomains: ['server.example'] }, undefined, 'email_missing'],
    [{ emailDomains: ['server.example'] }, 'new@evil.example', 'domain_not_allowed'],
    [{ emailDomains: ['server.example'] }, 'new@sub.server.example', 'domain_not_allowed'],
    [{ emailDomains: ['server.example'] }, '"a@server.example"@evil.example', 'domain_not_allowed'],
  ] as const)('signs up by the rule %j with the verified address %s: %s', async (signUp, email, refused) => {
    const opened = await open()
    const rule = typeof signUp === 'boolean' ? signUp : { emailDomains: [...signUp.emailDomains] }
    const found = await opened.for({ subject: 'new', email }, { signUp: rule })
    if (refused !== undefined) return expect(found).toBe(refused)
    expect(found).toMatchObject({ ...(email && { email }), password: '' })
    expect(await opened.for({ subject: 'new', email })).toEqual(found)
  })

  it.each([
    ['a\u001b[2J\u202eb', 'a[2Jb'],
    ['\u202e\u200b', 'without a name'],
  ])(
    'shows a subject on pages as text of one line, without invisible characters: %j',
    async (subject, shown) => {
      const opened = await open()
      const account = await opened.for({ subject, email: undefined, name: undefined }, { signUp: true })
      expect(account).toMatchObject({ name: shown })
      const id = typeof account === 'string' ? '' : account.id
      expect(await opened.rows.identities.list(id)).toMatchObject([{ identity: subject, shownAs: shown }])
      await opened.rows.identities.add(
        {
          issuer: 'https://idp.example',
          identity: subject,
          subject: opened.alice.id,
          shownAs: subject,
          addedAt: 0,
        },
        opened.alice,
      )
      expect(await opened.rows.identities.list(opened.alice.id)).toMatchObject([{ shownAs: shown }])
    },
  )

  it('creates one account by concurrent sign-ups', async () => {
    const opened = await open()
    const asked = Array.from({ length: 8 }, () =>
      opened.for({ subject: 'n', email: 'n@server.example' }, { signUp: true }),
    )
    const found = await Promise.all(asked)
    expect(new Set(found.map((account) => typeof account !== 'string' && account.id)).size).toBe(1)
  })

  it('does not sign in if it is removed while the account is read', async () => {
    const { database, rows, alice, for: forIdentity } = await open()
    await forIdentity({}, {}, alice)
    const find = async (id: string) => {
      const account = await rows.accounts.find(id)
      await database.deleteFrom('identity').execute()
      return account
    }
    const changing = { ...rows, accounts: { ...rows.accounts, find } }
    expect(await accountFor(changing, PROVIDER, { ...IDENTITY, email: undefined })).toBe('sign_up_off')
  })

  const GIVES = { ...PROVIDER, roles: { claim: 'groups', map: { staff: ['editor'] } } }
  const NOW = Date.parse('2026-01-01T00:00:00Z')

  it('gives the account the roles of its last sign-in, until they are too old', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    onTestFinished(() => void vi.useRealTimers())
    const { rows, alice, for: forIdentity } = await open()
    await forIdentity({}, {}, alice)
    const rolesOf = async () => (await rows.accounts.claims(alice.id))?.roles
    expect(await rolesOf()).toBeUndefined()
    expect(await rows.identities.setRoles(alice.id, GIVES, ['editor'])).toBe(true)
    expect(await rows.identities.setRoles(alice.id, GIVES, ['editor']), 'the same again').toBe(false)
    expect(
      await rows.identities.setRoles(alice.id, { ...GIVES, id: 'other', rolesFor: 60 }, [
        'editor',
        'auditor',
      ]),
    ).toBe(true)
    expect(await rolesOf()).toEqual(['editor', 'auditor'])
    vi.setSystemTime(NOW + 60_000)
    expect(await rolesOf(), 'the others have expired').toEqual(['editor'])
    vi.setSystemTime(NOW + 12 * 3600_000)
    expect(await rolesOf()).toBeUndefined()
  })

  it('takes back the roles that it no longer gives, and all of them with the last link', async () => {
    const { rows, alice, for: forIdentity } = await open()
    await forIdentity({}, {}, alice)
    const rolesOf = async () => (await rows.accounts.claims(alice.id))?.roles
    await rows.identities.setRoles(alice.id, GIVES, ['editor', 'auditor'])
    await rows.identities.setRoles(alice.id, GIVES, ['auditor'])
    expect(await rolesOf()).toEqual(['auditor'])
    expect(await rows.identities.setRoles(alice.id, GIVES, [])).toBe(true)
    expect(await rolesOf()).toBeUndefined()
    await rows.identities.setRoles(alice.id, GIVES, ['editor'])
    expect(await rows.accounts.removeIdentity(alice.id, IDENTITY.issuer, IDENTITY.subject)).toBe('removed')
    expect(await rolesOf()).toBeUndefined()
  })

  it('that a release before linked has its provider from the next sign-in on, and no roles after its end', async () => {
    const { rows, alice, for: forIdentity } = await open()
    const { issuer, subject: identity } = IDENTITY
    const old = { issuer, identity, subject: alice.id, shownAs: 'alice', addedAt: 0 }
    await rows.identities.add(old, alice)
    await rows.identities.add({ ...old, identity: 'second' }, alice)
    await forIdentity({})
    expect((await rows.identities.list(alice.id)).map(({ provider }) => provider)).toEqual([
      PROVIDER.id,
      undefined,
    ])
    await rows.identities.setRoles(alice.id, GIVES, ['editor'])
    expect(await rows.accounts.removeIdentity(alice.id, issuer, identity)).toBe('removed')
    expect(await rows.accounts.claims(alice.id)).not.toHaveProperty('roles')
    await rows.identities.setRoles(alice.id, GIVES, ['editor'])
    expect(await rows.accounts.removeIdentity(alice.id, issuer, 'second')).toBe('removed')
    expect(await rows.accounts.claims(alice.id)).not.toHaveProperty('roles')
  })

  const FORMER = 'https://former.example'
  const MOVES = { formerIssuers: [FORMER, 'https://older.example'] }

  it('of a former issuer moves at the next sign-in, with the address that it verified', async () => {
    const { rows, for: forIdentity } = await open({ email: 'other@server.example' })
    const before = await forIdentity({ issuer: FORMER }, { signUp: true })
    expect(await forIdentity({}, { signUp: true }), 'without the setting').toBe('email_in_use')
    expect(await forIdentity({ subject: 'other' }, MOVES), 'another subject').toBe('email_in_use')
    const { id = '' } = Object(before)
    expect(await forIdentity({}, MOVES)).toEqual({ ...Object(before), emailSource: IDENTITY.issuer })
    expect(await rows.identities.list(id)).toMatchObject([{ issuer: IDENTITY.issuer, subject: id }])
  })

  it('of a former issuer moves never where two accounts would have it', async () => {
    const { rows, alice, add, for: forIdentity } = await open()
    const bob = await add({ email: 'bob@server.example' })
    await forIdentity({ issuer: FORMER }, {}, alice)
    await forIdentity({ issuer: 'https://older.example' }, {}, bob)
    expect(await forIdentity({ email: undefined }, MOVES), 'two accounts have a former one').toBe(
      'sign_up_off',
    )
    await forIdentity({}, {}, bob)
    expect(await forIdentity({}, MOVES), 'another account has the one of today').toEqual(bob)
    expect(await rows.identities.list(alice.id)).toMatchObject([{ issuer: FORMER }])
    const other = { issuer: FORMER, subject: 'other' }
    await forIdentity(other, {}, alice)
    expect(await forIdentity({ subject: 'other' }, MOVES, bob), 'a connection').toBe('identity_in_use')
  })

  it('cannot be linked to a second account', async () => {
    const opened = await open()
    await opened.for({}, {}, opened.alice)
    const bob = await opened.add({ email: 'bob@server.example' })
    expect(await opened.for({}, {}, bob)).toBe('identity_in_use')
    expect(await opened.for({}, { signUp: true })).toEqual(opened.alice)
  })

  it('of a provider with neither PKCE nor a nonce opens no account of an admin, and is linked to none', async () => {
    const opened = await open()
    const { alice, rows } = opened
    const unbound = { pkce: false, nonce: false }
    await opened.for({}, unbound, alice)
    expect(await opened.for({}, unbound)).toEqual(alice)
    await rows.accounts.setAdmin(alice.id, true)
    expect(await opened.for({}, unbound)).toBe('admin_refused')
    expect(await opened.for({ subject: 'other' }, unbound, alice)).toBe('admin_refused')
    expect(await rows.identities.list(alice.id)).toHaveLength(1)
    for (const bound of [{ pkce: false }, { nonce: false }])
      expect(await opened.for({}, bound)).toMatchObject({ id: alice.id })
  })

  it('does not sign in to a disabled account, and is removed with its account', async () => {
    const opened = await open()
    await opened.for({}, {}, opened.alice)
    await opened.rows.accounts.setDisabled(opened.alice.id, true)
    expect(await opened.for({}, { signUp: true })).toBe('account_disabled')
    await opened.rows.accounts.remove(opened.alice.id)
    expect(await opened.rows.identities.find(IDENTITY.issuer, IDENTITY.subject)).toBeUndefined()
    expect(await opened.for({})).toBe('sign_up_off')
  })
})
