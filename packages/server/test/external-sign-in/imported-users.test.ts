import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { expect, it, onTestFinished, vi } from 'vitest'
import { accountDirectory } from '../../src/accounts/account-directory.ts'
import { accountRows } from '../../src/accounts/account-rows.ts'
import { importedUsers } from '../../src/accounts/users/users.ts'
import { withoutAccounts } from '../connected.ts'
import { DANA } from '../people.ts'

onEachDatabase((newDatabase) => {
  async function open() {
    const { database } = await withoutAccounts(newDatabase)
    const events: object[] = []
    const onEvent = (event: object) => void events.push(event)
    const accounts = accountRows(database, onEvent)
    return { database, events, accounts, users: importedUsers(database, onEvent) }
  }

  it('a user of an application is added once, by however many sign-ins at the same time', async () => {
    const { users, events } = await open()
    const signIns = Array.from({ length: 5 }, () => users.signIn({ sub: 'alice', claims: { name: 'Alice' } }))
    for (const account of await Promise.all(signIns))
      expect(account).toMatchObject({ id: 'alice', name: 'Alice' })
    expect(events).toEqual([{ type: 'account_added', subject: 'alice', by: 'sign_up' }])
  })

  it('a user keeps the account when name and address change, and two users may have one address', async () => {
    const { users, accounts } = await open()
    const claims = { name: 'Alice', email: 'home@app.example', email_verified: true }
    await users.signIn({ sub: 'alice', claims })
    await users.signIn({ sub: 'bob', claims: { ...claims, name: 'Bob' } })
    await users.signIn({ sub: 'alice', claims: { ...claims, name: 'Alice Moore' } })
    expect(await accounts.claims('alice')).toMatchObject({ name: 'Alice Moore', email: 'home@app.example' })
    expect(await accounts.claims('bob')).toMatchObject({ name: 'Bob', email: 'home@app.example' })
    expect(await accounts.idOf('home@app.example'), 'an address identifies neither').toBeUndefined()
  })

  it('a claim with the name of a member of the account does not replace it', async () => {
    const { users, accounts } = await open()
    const claims = { name: 'Mallory', id: 'alice', password: 'x', sessionEpoch: 9, emailSource: 'operator' }
    await users.signIn({ sub: 'mallory', claims })
    const account = { id: 'mallory', password: '', emailSource: undefined }
    const found = await accounts.find('mallory')
    expect(found).toMatchObject(account)
    expect(found?.sessionEpoch).not.toBe(9)
  })

  it('an account that a restore took away starts with a later epoch, so that a link of before sets no password', async () => {
    const { database, users, accounts } = await open()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const add = {
      alice: () => users.signIn({ sub: 'alice', claims: { name: 'Alice' } }),
      [DANA.id]: () => accounts.add(DANA),
    }
    const epochs = () =>
      Promise.all(
        Object.entries(add).map(async ([id, signUp]) => {
          await signUp()
          return (await accounts.find(id))?.sessionEpoch ?? 0
        }),
      )
    const before = await epochs()
    await database.deleteFrom('identity').execute()
    await database.deleteFrom('account').execute()
    vi.setSystemTime(Date.now() + 60_000)
    expect(await epochs()).toEqual(before.map((epoch) => epoch + 60))
  })

  it('a user with the id or the address of an account of an operator is another one', async () => {
    const { users, accounts } = await open()
    await accounts.add(DANA)
    expect(await users.signIn({ sub: DANA.id, claims: { name: 'Mallory' } })).toBe('taken')
    expect(await users.signIn({ sub: DANA.email ?? '', claims: { name: 'Mallory' } })).toBe('taken')
    expect((await accounts.find(DANA.id))?.name).toBe(DANA.name)
  })

  it('a user who is refused before the first sign-in never signs in, and is in no list', async () => {
    const { users, events, database } = await open()
    expect(await Promise.all([users.refuse('alice'), users.refuse('alice')])).toContain(true)
    expect(events).toEqual([{ type: 'account_removed', subject: 'alice' }])
    expect(await users.signIn({ sub: 'alice', claims: { name: 'Alice' } })).toBe('removed')
    expect(await accountDirectory(database).page({}, 2)).toEqual({ items: [], next: undefined })
    await users.signIn({ sub: 'bob', claims: { name: 'Bob' } })
    expect(await users.refuse('bob'), 'an account is removed by its own method').toBe(false)
  })

  it('ids differ by their capitals, and the list of accounts has each of them once', async () => {
    const { users, database } = await open()
    for (const sub of ['Zoe', 'alice', 'Alice', 'bob']) await users.signIn({ sub, claims: { name: sub } })
    const directory = accountDirectory(database)
    const first = await directory.page({}, 2)
    const second = await directory.page({ after: first.next }, 2)
    const ids = [...first.items, ...second.items].map(({ id }) => id)
    expect(ids.toSorted()).toEqual(['Alice', 'Zoe', 'alice', 'bob'])
  })
})
