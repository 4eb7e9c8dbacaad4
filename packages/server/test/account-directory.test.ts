import { onBothDatabases } from '@grantkit/test-servers/on-both-databases'
import { describe, expect, it } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { Account } from '../src/accounts/accounts.ts'
import { connected } from './connected.ts'
import { DANA, THEO } from './people.ts'

onBothDatabases((newDatabase) => {
  async function opened(publiclyKnown: Pick<Account, 'password'>[] = []) {
    const database = await connected(await newDatabase())
    const accounts = accountRows(database, () => {})
    return { accounts, directory: accountDirectory(database, publiclyKnown) }
  }

  describe('the directory of accounts', () => {
    it('lists page by page, ordered by address, and filters by the beginning of an address', async () => {
      const { accounts, directory } = await opened()
      for (const name of ['bo', 'al', 'alma', 'Alf', 'cy'])
        await accounts.add({ ...DANA, id: `id of ${name}`, email: `${name.toLowerCase()}@server.example` })
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
      expect((await directory.page({}, 10)).accounts).toHaveLength(1)
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

    it('is ignored in production on an account with a publicly known password', async () => {
      const { accounts, directory } = await opened([DANA])
      await accounts.add(DANA)
      await accounts.setAdmin(DANA.id, true)
      expect(await directory.isAdmin(DANA.id)).toBe(false)
      await accounts.setPassword(DANA.id, 'scrypt$another')
      expect(await directory.isAdmin(DANA.id)).toBe(true)
    })
  })
})
