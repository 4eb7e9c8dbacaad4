import { describe, expect, it } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import { demoAccounts } from '../src/accounts/accounts.ts'
import { connected, onBothDatabases } from './on-both-databases.ts'

const [DEMO, TEACHER] = demoAccounts()
if (DEMO === undefined || TEACHER === undefined) throw new Error('The demo has two accounts')

onBothDatabases((newDatabase) => {
  async function opened(production = false) {
    const database = await connected(await newDatabase())
    const accounts = accountRows(database, () => {})
    return { accounts, directory: accountDirectory(database, production) }
  }

  describe('the directory of accounts', () => {
    it('lists page by page, ordered by address, and filters by the beginning of an address', async () => {
      const { accounts, directory } = await opened()
      for (const name of ['bo', 'al', 'alma', 'Alf', 'cy'])
        await accounts.add({ ...DEMO, id: `id of ${name}`, email: `${name.toLowerCase()}@school.example` })
      const first = await directory.page({}, 2)
      expect(first.accounts.map(({ id }) => id)).toEqual(['id of al', 'id of Alf'])
      const rest = await directory.page({ after: first.next }, 10)
      expect([rest.accounts.map(({ id }) => id), rest.next]).toEqual([
        ['id of alma', 'id of bo', 'id of cy'],
        undefined,
      ])
      const found = await directory.page({ prefix: ' AL' }, 10)
      expect(found.accounts.map(({ id }) => id)).toEqual(['id of al', 'id of Alf', 'id of alma'])
      expect((await directory.page({ prefix: 'a%' }, 10)).accounts).toEqual([])
    })

    it('has disabled accounts, and no removed ones', async () => {
      const { accounts, directory } = await opened()
      for (const account of [DEMO, TEACHER]) await accounts.add(account)
      await accounts.setDisabled(DEMO.id, true)
      await accounts.remove(TEACHER.id)
      expect(await directory.find(DEMO.id)).toMatchObject({
        email: DEMO.email,
        state: 'disabled',
        admin: false,
      })
      expect(await directory.withEmail(' Demo@example.com')).toMatchObject({ id: DEMO.id })
      expect(await directory.find(TEACHER.id)).toBeUndefined()
      expect((await directory.page({}, 10)).accounts).toHaveLength(1)
    })
  })

  describe('the mark of an admin', () => {
    it('is set by an operator only, and is removed with the account', async () => {
      const { accounts, directory } = await opened()
      await accounts.add(DEMO)
      const isAdmin = () => directory.isAdmin(DEMO.id)
      expect(await isAdmin()).toBe(false)
      expect(await accounts.setAdmin(DEMO.id, true)).toBe(true)
      expect(await isAdmin()).toBe(true)
      await accounts.setDisabled(DEMO.id, true)
      expect(await isAdmin()).toBe(false)
      await accounts.setDisabled(DEMO.id, false)
      await accounts.setAdmin(DEMO.id, false)
      expect([await isAdmin(), await accounts.setAdmin('nobody', true)]).toEqual([false, false])
    })

    it('is ignored in production on an account with a publicly known password', async () => {
      const { accounts, directory } = await opened(true)
      await accounts.add(DEMO)
      await accounts.setAdmin(DEMO.id, true)
      expect(await directory.isAdmin(DEMO.id)).toBe(false)
      await accounts.setPassword(DEMO.id, 'scrypt$another')
      expect(await directory.isAdmin(DEMO.id)).toBe(true)
    })
  })
})
