import { onBothDatabases } from '@grantkit/test-servers/on-both-databases'
import { expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import { installationNames } from '../src/accounts/installation-names.ts'
import { connected } from './connected.ts'

/** The names that users give to installations of apps. */

/** Epoch seconds. A name stays until its app is disconnected. */
const LATER = 2_000_000_000

onBothDatabases((newDatabase) => {
  const open = async () => {
    const database = await connected(await newDatabase())
    const accounts = accountRows(database, () => {})
    const person = { email_verified: false, name: '', updated_at: 0, password: '' }
    for (const id of ['alice', 'bob']) await accounts.add({ id, ...person })
    return { database, accounts, names: installationNames(database) }
  }

  it('has one name per installation of a user, and removes it', async () => {
    const { names } = await open()
    await names.give('alice', 'one', 'Old laptop', LATER)
    await names.give('alice', 'one', 'New laptop', LATER)
    await names.give('alice', 'other', 'Phone', LATER)
    await names.give('bob', 'one', "Bob's", LATER)
    const given = ['one', 'other', 'unnamed']
    expect([...(await names.of('alice', given))].sort()).toEqual([
      ['one', 'New laptop'],
      ['other', 'Phone'],
    ])
    expect([...(await names.of('alice', ['other']))]).toEqual([['other', 'Phone']])
    await names.forget('alice', 'one')
    expect([await names.of('alice', given), await names.of('alice', [])]).toEqual([
      new Map([['other', 'Phone']]),
      new Map(),
    ])
    expect(await names.of('bob', given)).toEqual(new Map([['one', "Bob's"]]))
  })

  it('deletes those of a removed account, and takes no new ones', async () => {
    const { database, accounts, names } = await open()
    await names.give('alice', 'one', 'Laptop', LATER)
    await accounts.remove('alice')
    await names.give('alice', 'two', 'Phone', LATER)
    expect(await database.selectFrom('installation_name').selectAll().execute()).toEqual([])
  })
})
