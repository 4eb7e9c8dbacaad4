import { userInfo } from 'node:os'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { accountDirectory } from '../src/accounts/account-directory.ts'
import { accountRows } from '../src/accounts/account-rows.ts'
import { accountFor, type Identity, identityRows } from '../src/accounts/upstream/identities.ts'
import { membershipsIn } from '../src/accounts/upstream/memberships.ts'
import { openRemap, remapPlan } from '../src/accounts/upstream/remapped-identities.ts'
import { withoutAccounts } from './connected.ts'
import { PROVIDER } from './partner.ts'
import { newUser } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { runServer } from './running-server.ts'

/** Users of Microsoft after a new app registration: each has another `sub`, and the same `tid` and `oid`. */

const TENANT = '11111111-2222-3333-4444-555555555555'
const ISSUER = `https://login.microsoftonline.com/${TENANT}/v2.0`
const ADA: Identity = { issuer: ISSUER, subject: 'before', tenant: TENANT, oid: 'ada' }
const SIGN_UP = { ...PROVIDER, issuer: ISSUER, signUp: true as const }
const DAY = 24 * 3600 * 1000

onEachDatabase((newDatabase) => {
  async function open() {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2027-01-01T00:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const { database } = await withoutAccounts(newDatabase)
    const moved: string[] = []
    const rows = {
      accounts: accountRows(database, () => {}),
      identities: identityRows(database),
      directory: accountDirectory(database),
      onRemapped: (account: string) => void moved.push(account),
    }
    const comes = async (more: Partial<Identity> = {}, provider = SIGN_UP as typeof PROVIDER) => {
      const account = await accountFor(rows, provider, { ...ADA, ...more })
      return typeof account === 'string' ? account : account.id
    }
    return { database, rows, moved, comes, ada: await comes() }
  }

  it('are others until the operator says so, and then the same', async () => {
    const { database, moved, comes, ada } = await open()
    expect(await comes({ subject: 'after' }, PROVIDER)).toBe('sign_up_off')
    expect(await remapPlan(database, PROVIDER.id)).toEqual({ people: 1, unknown: 0, doubles: [] })
    await openRemap(database, PROVIDER.id)
    expect([await comes({ subject: 'after' }, PROVIDER), moved]).toEqual([ada, [ada]])
    expect(await comes({ subject: 'after' }, PROVIDER), 'the next sign-in').toBe(ada)
    expect(await comes({}, PROVIDER), 'what the old registration said').toBe('sign_up_off')
  })

  it.each<[string, Partial<Identity>]>([
    ['oid', { oid: 'mallory' }],
    ['tid', { tenant: 'other' }],
    ['issuer', { issuer: 'https://login.microsoftonline.com/other/v2.0' }],
    ['oid, for want of any', { oid: undefined }],
  ])('are never found by another %s', async (_, other) => {
    const { database, moved, comes } = await open()
    await openRemap(database, PROVIDER.id)
    expect([await comes({ subject: 'after', ...other }, PROVIDER), moved]).toEqual(['sign_up_off', []])
  })

  it('are found by the provider of the link alone, and not by another one of the same tenant', async () => {
    const { database, moved, comes, ada } = await open()
    await openRemap(database, PROVIDER.id)
    const other = { ...PROVIDER, id: 'other' }
    expect([await comes({ subject: 'after' }, other), moved]).toEqual(['sign_up_off', []])
    expect(await comes({ subject: 'after' }, PROVIDER)).toBe(ada)
  })

  it('are found for 30 days', async () => {
    const { database, comes, ada } = await open()
    await openRemap(database, PROVIDER.id)
    vi.setSystemTime(Date.now() + 30 * DAY)
    expect(await comes({ subject: 'after' }, PROVIDER)).toBe('sign_up_off')
    await openRemap(database, PROVIDER.id)
    vi.setSystemTime(Date.now() + 30 * DAY - 1)
    expect(await comes({ subject: 'after' }, PROVIDER)).toBe(ada)
  })

  it('are not found while two accounts are theirs, and are once one is removed', async () => {
    const { database, rows, comes, ada } = await open()
    const again = await comes({ subject: 'after' })
    expect(await remapPlan(database, PROVIDER.id)).toMatchObject({ people: 0, doubles: [[ada, again]] })
    await openRemap(database, PROVIDER.id)
    expect(await comes({ subject: 'third' }, PROVIDER)).toBe('sign_up_off')
    await rows.accounts.remove(again)
    expect(await comes({ subject: 'after' }, PROVIDER)).toBe(ada)
  })

  it('are found once, also in many tabs', async () => {
    const { database, moved, comes, ada } = await open()
    await openRemap(database, PROVIDER.id)
    const tabs = await Promise.all(Array.from({ length: 5 }, () => comes({ subject: 'after' })))
    expect([new Set(tabs), moved]).toEqual([new Set([ada]), [ada]])
  })

  it('whom a release before linked are known from their next sign-in on', async () => {
    const { database, comes } = await open()
    await database.updateTable('identity').set({ tenant: null, oid: null }).execute()
    expect(await remapPlan(database, PROVIDER.id)).toMatchObject({ people: 0, unknown: 1 })
    await comes()
    expect(await remapPlan(database, PROVIDER.id)).toMatchObject({ people: 1, unknown: 0 })
  })
})

it.each([
  [{ iss: ISSUER, tid: TENANT, oid: 'ADA' }, 'ada'],
  [{ iss: ISSUER, tid: 'other', oid: 'ADA' }, undefined],
  [{ iss: 'https://partner.example', tid: TENANT, oid: 'ADA' }, undefined],
  [{ iss: ISSUER, tid: TENANT, oid: ['ada'] }, undefined],
])('an oid is read of Microsoft, with the tenant of the issuer: %j', (claims, oid) => {
  expect(membershipsIn(claims).oid).toBe(oid)
})

describe('the command', () => {
  const provider = {
    ...{ id: 'entra', label: 'Entra', issuer: ISSUER, clientId: 'c' },
    clientSecret: { env: 'ENTRA_SECRET' },
  }

  it('says first what it would do, then does it, and the trail has who did', async () => {
    const partner = { ...provider, id: 'partner', label: 'Partner', issuer: 'https://partner.example' }
    const server = await runServer({ ENTRA_SECRET: 's' }, { upstream: [provider, partner] })
    onTestFinished(() => server.close())
    const { id } = await newUser(server, '')
    const account = await server.accounts.find(id)
    if (account === undefined) throw new Error('The account is missing')
    const link = { issuer: ISSUER, subject: id, shownAs: 'ada', addedAt: 0, provider: 'entra' }
    const identities = identityRows(server.database)
    await identities.add({ ...link, identity: 'before', tenant: TENANT, oid: 'ada' }, account)
    await identities.add({ ...link, identity: 'older' }, account)
    const opened = async () =>
      (await server.database.selectFrom('identity').select('remap_until').execute()).flatMap(
        ({ remap_until }) => remap_until ?? [],
      ).length

    const dry = await ranCommand(server, ['identities', 'remap', 'entra'])
    expect(dry.output.split('\n')).toEqual([
      'Users who can be found again: 1',
      expect.stringMatching(/^Users who cannot, .* tid and oid .*: 1$/),
      'Nothing was changed. Let these users be found with --apply.',
    ])
    expect(await opened()).toBe(0)
    const done = await ranCommand(server, ['identities', 'remap', 'entra', '--apply'])
    expect([done.output, await opened()]).toEqual([
      expect.stringContaining('leads to the account of before'),
      1,
    ])
    const trail = await ranCommand(server, ['trail', 'export', '--type', 'remap_opened'])
    const actor = `command:${userInfo().username}`
    expect(JSON.parse(trail.output)).toMatchObject({ provider: 'entra', people: 1, actor })
    const unknown = await ranCommand(server, ['identities', 'remap', 'other'])
    expect([unknown.status, unknown.errors]).toEqual([1, expect.stringContaining('are: entra, partner.')])
    const useless = await ranCommand(server, ['identities', 'remap', 'partner', '--apply'])
    expect([useless.status, useless.errors]).toEqual([1, expect.stringContaining('partner is not Microsoft')])
  })
})
