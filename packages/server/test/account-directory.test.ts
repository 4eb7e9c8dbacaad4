import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { describe, expect, it } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { Account } from '../src/accounts/accounts.ts'
import { installationNames } from '../src/accounts/installation-names.ts'
import { addMissingAccounts, hasDemoAccount, refusePublicPasswords } from '../src/accounts/open-accounts.ts'
import { hashPassword } from '../src/accounts/password-hashes.ts'
import { parseConfig } from '../src/config/config.ts'
import { withoutAccounts } from './connected.ts'
import { DANA, THEO } from './people.ts'

onEachDatabase((newDatabase) => {
  async function opened(publiclyKnown: Pick<Account, 'password'>[] = []) {
    const { database } = await withoutAccounts(newDatabase)
    const accounts = accountRows(database, () => {})
    return { database, accounts, directory: accountDirectory(database, publiclyKnown) }
  }

  describe('the directory of accounts', () => {
    it('lists page by page, ordered by address, and filters by the beginning of an address', async () => {
      const { accounts, directory } = await opened()
      for (const name of ['bo', 'al', 'alma', 'Alf', 'cy'])
        await accounts.add({ ...DANA, id: `id of ${name}`, email: `${name.toLowerCase()}@server.example` })
      const first = await directory.page({}, 2)
      expect(first.items.map(({ id }) => id)).toEqual(['id of al', 'id of Alf'])
      const rest = await directory.page({ after: first.next }, 10)
      expect([rest.items.map(({ id }) => id), rest.next]).toEqual([
        ['id of alma', 'id of bo', 'id of cy'],
        undefined,
      ])
      const found = await directory.page({ prefix: ' AL' }, 10)
      expect(found.items.map(({ id }) => id)).toEqual(['id of al', 'id of Alf', 'id of alma'])
      expect((await directory.page({ prefix: 'a%' }, 10)).items).toEqual([])
    })

    it('finds nothing by a text with a NUL, which Postgres does not accept', async () => {
      const { accounts, directory } = await opened()
      await accounts.add(DANA)
      expect(await directory.find(`${DANA.id}\0`)).toBeUndefined()
      expect(await directory.withEmail(`${DANA.email}\0`)).toBeUndefined()
    })

    it('has disabled accounts, and no removed ones', async () => {
      const { accounts, directory } = await opened()
      for (const account of [DANA, THEO]) await accounts.add(account)
      await accounts.setDisabled(DANA.id, true)
      await accounts.remove(THEO.id)
      expect(await directory.find(DANA.id)).toMatchObject({
        email: DANA.email,
        state: 'disabled',
        admin: false,
      })
      expect(await directory.withEmail(' Demo@example.com')).toMatchObject({ id: DANA.id })
      expect(await directory.find(THEO.id)).toBeUndefined()
      expect((await directory.page({}, 10)).items).toHaveLength(1)
    })
  })

  describe('the mark of an admin', () => {
    it('is set by an operator only, and is removed with the account', async () => {
      const { accounts, directory } = await opened()
      await accounts.add(DANA)
      const isAdmin = () => directory.isAdmin(DANA.id)
      expect(await isAdmin()).toBe(false)
      expect(await accounts.setAdmin(DANA.id, true)).toBe(true)
      expect(await isAdmin()).toBe(true)
      await accounts.setDisabled(DANA.id, true)
      expect(await isAdmin()).toBe(false)
      await accounts.setDisabled(DANA.id, false)
      await accounts.setAdmin(DANA.id, false)
      expect([await isAdmin(), await accounts.setAdmin('nobody', true)]).toEqual([false, false])
    })

    it.each([
      ['127.0.0.1', true],
      ['::1', true],
      ['localhost', true],
      ['0.0.0.0', false],
      ['::', false],
      ['192.168.1.10', false],
    ])('comes with no demo account where others reach the port: at %s', async (HOST, isOwn) => {
      const { accounts } = await opened()
      const config = parseConfig({ environment: { HOST } })
      const demo = [{ account: { ...DANA, password: await hashPassword('demo') }, publicPassword: 'demo' }]
      await addMissingAccounts(accounts, config, demo)
      expect(await hasDemoAccount(accounts, config, demo)).toBe(isOwn)
      await addMissingAccounts(accounts, parseConfig({}), demo)
      const start = refusePublicPasswords(accounts, config, demo)
      if (isOwn) await start
      else await expect(start).rejects.toThrow('is publicly known')
    })

    it('is ignored in production on an account with a publicly known password', async () => {
      const { accounts, directory } = await opened([DANA])
      await accounts.add(DANA)
      await accounts.setAdmin(DANA.id, true)
      expect(await directory.isAdmin(DANA.id)).toBe(false)
      await accounts.setPassword(DANA.id, 'scrypt$another')
      expect(await directory.isAdmin(DANA.id)).toBe(true)
    })
  })

  describe('the names that users give to installations of apps', () => {
    /** Epoch seconds. A name stays until its app is disconnected. */
    const LATER = 2_000_000_000

    async function named() {
      const { database, accounts } = await opened()
      for (const account of [DANA, THEO]) await accounts.add(account)
      return { database, accounts, names: installationNames(database) }
    }

    it('are one per installation of a user, and can be removed', async () => {
      const { names } = await named()
      await names.give(DANA.id, 'one', 'Old laptop', LATER)
      await names.give(DANA.id, 'one', 'New laptop', LATER)
      await names.give(DANA.id, 'other', 'Phone', LATER)
      await names.give(THEO.id, 'one', "Bob's", LATER)
      const given = ['one', 'other', 'unnamed']
      expect([...(await names.of(DANA.id, given))].sort()).toEqual([
        ['one', 'New laptop'],
        ['other', 'Phone'],
      ])
      expect([...(await names.of(DANA.id, ['other']))]).toEqual([['other', 'Phone']])
      await names.forget(DANA.id, 'one')
      expect([await names.of(DANA.id, given), await names.of(DANA.id, [])]).toEqual([
        new Map([['other', 'Phone']]),
        new Map(),
      ])
      expect(await names.of(THEO.id, given)).toEqual(new Map([['one', "Bob's"]]))
    })

    it('are deleted with the account, which gets no new ones', async () => {
      const { database, accounts, names } = await named()
      await names.give(DANA.id, 'one', 'Laptop', LATER)
      await accounts.remove(DANA.id)
      await names.give(DANA.id, 'two', 'Phone', LATER)
      expect(await database.selectFrom('installation_name').selectAll().execute()).toEqual([])
    })
  })
})
