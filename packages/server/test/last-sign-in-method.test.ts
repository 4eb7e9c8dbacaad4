import { createMemoryStore } from '@grantkit/store-memory'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { expect, it } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import { MAX_PASSKEYS, type Passkey } from '../src/accounts/passkeys/passkey-rows.ts'
import { enrolmentsOf } from '../src/sign-in/enrolments.ts'
import { waysToSignIn } from '../src/sign-in/ways-to-sign-in.ts'
import { withoutAccounts } from './connected.ts'
import { DANA } from './people.ts'

onEachDatabase((newDatabase) => {
  async function open(password: string) {
    const { database } = await withoutAccounts(newDatabase)
    const told: unknown[][] = []
    const accounts = accountRows(
      database,
      () => {},
      async (ended) => void told.push([ended, await epoch()]),
    )
    await accounts.add({ ...DANA, password })
    const alice = await accounts.find(DANA.id)
    if (alice === undefined) throw new Error('The account was not added')
    /** How often its sessions have ended. */
    const epoch = async () =>
      ((await accounts.find(DANA.id))?.sessionEpoch ?? Number.NaN) - alice.sessionEpoch
    const options = { name: 'B', secret: 'x'.repeat(32), baseUrl: 'https://b.example', providers: [] }
    const ways = waysToSignIn({ ...options, store: createMemoryStore(), database, accounts })
    const unused = { name: '', publicKey: '', counter: 0, transports: [], synced: false, addedAt: 0 }
    const key = { ...unused, subject: alice.id }
    const enrolments = enrolmentsOf({ ...options, accounts, passkeys: ways.passkeys })
    const byLink = (account: typeof alice, passkey: Passkey) =>
      enrolments.finish({ account, link: 'of the operator' }, passkey)
    for (const id of ['one', 'two']) await ways.passkeys.add({ ...key, id }, alice)
    const identity = { issuer: 'i', identity: 's', subject: alice.id, shownAs: 's', addedAt: 0 }
    await ways.identities.add(identity, alice)
    return {
      accounts,
      told,
      alice,
      ways,
      epoch,
      key,
      byLink,
    }
  }

  it('is never removed, not even by concurrent removals', async () => {
    const { accounts, alice, ways } = await open('')
    const answers = await Promise.all([
      accounts.removePasskey(alice.id, 'one'),
      accounts.removePasskey(alice.id, 'two'),
      accounts.removeIdentity(alice.id, 'i', 's'),
    ])
    expect(answers.toSorted()).toEqual(['last', 'removed', 'removed'])
    const left = [...(await ways.passkeys.list(alice.id)), ...(await ways.identities.list(alice.id))]
    expect(left).toHaveLength(1)
  })

  it('is the password if there is one', async () => {
    const { accounts, alice } = await open('scrypt$a')
    for (const id of ['one', 'two']) expect(await accounts.removePasskey(alice.id, id)).toBe('removed')
    expect(await accounts.removeIdentity(alice.id, 'i', 's')).toBe('removed')
    expect(await accounts.removePasskey(alice.id, 'one')).toBe('unknown')
  })

  it('cannot be removed by another user', async () => {
    const { accounts, told, alice, ways, epoch } = await open('scrypt$a')
    expect(await accounts.removePasskey('bob', 'one')).toBe('unknown')
    expect(await accounts.removeIdentity('bob', 'i', 's')).toBe('unknown')
    expect(await ways.passkeys.list(alice.id)).toHaveLength(2)
    expect([await epoch(), told], 'no session has ended').toEqual([0, []])
  })

  it('ends all sessions if it is removed, and none otherwise', async () => {
    const { accounts, told, alice, epoch } = await open('')
    const now = Date.now() / 1000
    const times = { authTime: now, confirmedAt: now, startedAt: now, usedAt: now, expiresAt: now + 12 * 3600 }
    const session = { id: 'second', firstId: 'first', subject: alice.id, epoch: alice.sessionEpoch, ...times }
    await accounts.sessions.start(alice, session)
    expect(await accounts.sessions.list(alice.id)).toHaveLength(1)
    await accounts.removePasskey(alice.id, 'one')
    expect(await epoch()).toBe(1)
    await accounts.removeIdentity(alice.id, 'i', 's')
    expect(await epoch()).toBe(2)
    expect(await accounts.removePasskey(alice.id, 'two')).toBe('last')
    expect(await epoch()).toBe(2)
    const ended = { subject: alice.id, sessionIds: [], all: true }
    const after = 'a session may open a grant until it has ended'
    expect(told, after).toEqual([
      [{ ...ended, sessionIds: ['first'] }, 0],
      [ended, 1],
      [ended, 1],
      [ended, 2],
    ])
    expect(await accounts.sessions.list(alice.id)).toEqual([])
  })

  it('is added by a link of the operator with the end of all sessions, of which apps are told first', async () => {
    const { told, alice, ways, epoch, key, byLink } = await open('')
    expect(await byLink(alice, { ...key, id: 'three' })).toBe(true)
    expect(await ways.passkeys.list(alice.id)).toHaveLength(3)
    const ended = { subject: alice.id, sessionIds: [], all: true }
    expect([await epoch(), told]).toEqual([
      1,
      [
        [ended, 0],
        [ended, 1],
      ],
    ])
  })

  it('ends no session, and no app is told, if it cannot be added by a link', async () => {
    const { accounts, told, alice, ways, epoch, key, byLink } = await open('')
    await accounts.add({ ...DANA, id: 'bob', email: 'bob@example.com' })
    const bob = (await accounts.find('bob')) as typeof alice
    expect(await byLink(bob, { ...key, subject: 'bob', id: 'one' }), 'of another user').toBe(false)
    for (let n = 2; n < MAX_PASSKEYS; n++) await ways.passkeys.add({ ...key, id: `key ${n}` }, alice)
    expect(await byLink(alice, { ...key, id: 'new' }), 'beyond the limit').toBe(false)
    const before = { ...alice, sessionEpoch: alice.sessionEpoch - 1 }
    expect(await byLink(before, { ...key, id: 'new' }), 'of an ended session').toBe(false)
    expect(await accounts.endSessionsOf(before)).toBeUndefined()
    expect(await accounts.changePassword(before, 'scrypt$a', 'user')).toBeUndefined()
    expect([await epoch(), told]).toEqual([0, []])
  })

  it('cannot be added by a session that ended during the request', async () => {
    const { accounts, alice, ways, key } = await open('')
    await accounts.removePasskey(alice.id, 'one')
    expect(await ways.passkeys.add({ ...key, id: 'three' }, alice)).toBe(false)
    const identity = { issuer: 'j', identity: 's', subject: alice.id, shownAs: 's', addedAt: 0 }
    expect(await ways.identities.add(identity, alice)).toBe(false)
  })
})
