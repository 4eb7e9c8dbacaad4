import { join } from 'node:path'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AuditEntry, type AuditQuery, auditEntries, auditPage } from '../src/audit/reading.ts'
import { auditTrail, prune, rowOf } from '../src/audit/trail.ts'
import type { Database } from '../src/database/database.ts'
import { connected } from './connected.ts'
import { DANA } from './people.ts'
import { runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NETWORK = '127.0.0.0/24'

async function entriesOf(database: Database, query: AuditQuery = {}, step?: number) {
  const entries: AuditEntry[] = []
  for await (const entry of auditEntries(database, query, step)) entries.push(entry)
  return entries
}

const newFile = async () => `sqlite:${join(await temporaryFolder(), 'service.sqlite')}`

onEachDatabase((newDatabase) => {
  describe('the audit trail', () => {
    it('has consents and revocations, on every replica and after a restart', async () => {
      const DATABASE_URL = await newDatabase()
      const [first, replica] = [await runServer({ DATABASE_URL }), await runServer({ DATABASE_URL })]
      const app = await signedIn(first.baseUrl, 'openid notes:read', first.baseUrl)
      const body = new URLSearchParams({ token: app.refresh_token, client_id: app.client_id })
      await fetch(`${replica.baseUrl}/api/oauth/revoke`, { method: 'POST', body })
      const stolen = await signedIn(first.baseUrl, 'notes:read')
      expect(await first.grants.revokeAll('demo-account')).toBe(1)
      await first.clients.remove(stolen.client_id)
      await Promise.all([first.close(), replica.close()])

      const database = await connected(DATABASE_URL)
      const kinds = ['consent_granted', 'grant_revoked', 'client_removed']
      const scopes = ['openid', 'notes:read']
      const subject = 'demo-account'
      expect(await entriesOf(database, { types: kinds })).toMatchObject([
        { subject, clientId: app.client_id, scopes, resources: [first.baseUrl], network: NETWORK },
        { type: 'grant_revoked', subject, clientId: app.client_id, by: 'client', network: NETWORK },
        { type: 'consent_granted', clientId: stolen.client_id },
        { type: 'grant_revoked', subject, clientId: stolen.client_id, reason: 'subject_gone' },
        { type: 'client_removed', clientId: stolen.client_id },
      ])
      expect((await entriesOf(database, { types: ['client_registered'] })).length).toBe(2)
    })

    it('shows a user in which browsers they are signed in, those before a restart and on other replicas among them', async () => {
      const environment = {
        DATABASE_URL: await newDatabase(),
        SECRET: 'the same on every replica, long enough',
      }
      const first = await runServer(environment)
      for (let count = 0; count < 5; count++) await sessionCookie(first.baseUrl)
      await first.close()
      const second = await runServer(environment)
      onTestFinished(() => second.close())
      const cookie = await sessionCookie(second.baseUrl)
      const page = await (await fetch(`${second.baseUrl}/account`, { headers: { cookie } })).text()
      expect(page.match(/<li class="session">/g)).toHaveLength(5)
      expect(page.match(/<code>127\.0\.0\.0\/24<\/code> · this browser<\/li>/g)).toHaveLength(1)
    })

    it('rejects changes, and the deletion of entries before their time', async () => {
      const database = await connected(await newDatabase())
      const long = new Date(Date.now() - 10 * DAY_MS)
      const kept = rowOf({ type: 'kept' }, long, '1', 365)
      await database
        .insertInto('audit')
        .values([kept, rowOf({ type: 'over' }, long, '2', 8)])
        .execute()
      const tries = [
        sql`update audit set type = 'forged'`,
        sql`update audit set kept_until = '2000-01-01'`,
        sql`delete from audit`,
      ]
      for (const forbidden of tries) await expect(forbidden.execute(database)).rejects.toThrow('append-only')
      await expect(sql`truncate audit`.execute(database)).rejects.toThrow()
      await sql`replace into audit select id, 'forged', subject, client_id, facts, kept_until from audit`
        .execute(database)
        .catch(() => {})
      expect(await prune(database, new Date())).toBe(1)
      expect(await database.selectFrom('audit').selectAll().execute()).toEqual([kept])
    })

    it('is pruned regardless of the number of expired entries', async () => {
      const database = await connected(await newDatabase())
      const rows = Array.from({ length: 1200 }, (_, n) => rowOf({ type: 'over' }, new Date(0), `${n}`, 1))
      for (let at = 0; at < rows.length; at += 300)
        await database
          .insertInto('audit')
          .values(rows.slice(at, at + 300))
          .execute()
      const [one, other] = await Promise.all([prune(database, new Date()), prune(database, new Date())])
      expect(one + other).toBe(1200)
      expect(await entriesOf(database)).toEqual([])
    })

    it('is read by user, client and type, page by page and from end to end', async () => {
      const database = await connected(await newDatabase())
      const trail = auditTrail(database, { days: 365, onWarning: () => {} })
      for (let n = 0; n < 30; n++) {
        const [subject, clientId] = [n % 2 ? 'alice' : 'bob', n % 3 ? 'one' : 'two']
        const grantId = `${n}`
        trail.onEvent({ type: 'consent_granted', subject, clientId, grantId, scopes: [], resources: [] })
        trail.onEvent({ type: 'grant_ended', subject, clientId, grantId, reason: 'code_replayed\0' })
      }
      await trail.close()
      const query = { subject: 'alice', clientId: 'two', types: ['grant_ended'] }
      const first = await auditPage(database, query, 3)
      const second = await auditPage(database, query, 3, first.next)
      expect([first, second].map(({ items }) => items.map(({ grantId }) => grantId))).toEqual([
        ['27', '21', '15'],
        ['9', '3'],
      ])
      expect(second).not.toHaveProperty('next')
      const all = await entriesOf(database, {}, 7)
      expect(all.map(({ grantId }) => grantId)).toEqual(Array.from({ length: 60 }, (_, n) => `${n >> 1}`))
      const [since, until] = [all[10]?.id, all[20]?.id]
      expect((await entriesOf(database, { since, until }, 4)).length).toBe(10)
    })
  })
})

/** What the database does not decide. */
describe('the audit trail', () => {
  it('has sign-ins, sign-outs and errors, with the network of the caller and without any input', async () => {
    const DATABASE_URL = await newFile()
    const server = await runServer({ DATABASE_URL })
    const cookie = await sessionCookie(server.baseUrl)
    await sessionCookie(server.baseUrl, 'demo@example.com', 'a typed secret')
    for (const _ of [1, 2])
      await fetch(`${server.baseUrl}/logout`, { method: 'POST', headers: { cookie }, redirect: 'manual' })
    const client_id = 'f'.repeat(32)
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'gkr_secret',
      client_id,
    })
    for (const _ of [1, 2, 3]) await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })
    await server.close()

    const subject = 'demo-account'
    const database = await connected(DATABASE_URL)
    const [signIn, ...others] = await entriesOf(database).then((entries) =>
      entries.filter(({ type }) => type !== 'account_added'),
    )
    expect(signIn).toMatchObject({ type: 'sign_in_succeeded', subject, network: NETWORK })
    const sessionId = signIn?.sessionId
    expect(others).toMatchObject([
      { type: 'sign_in_failed', subject, reason: 'wrong_password', network: NETWORK },
      { type: 'signed_out', subject, sessionId },
      { type: 'refused', clientId: client_id, network: NETWORK, path: '/api/oauth/token' },
      { type: 'refused', clientId: client_id, network: NETWORK, count: 2 },
    ])
    const { rows } = await sql<object>`select * from audit`.execute(database)
    expect(JSON.stringify(rows)).not.toMatch(/typed|gkr_|demo@example|127\.0\.0\.1/)
  })

  it('has the client and the user of a refused request that names neither, and no text that is no id', async () => {
    const database = await connected(await newFile())
    const trail = auditTrail(database, { days: 365, onWarning: () => {} })
    const refused = { type: 'refused', path: '/', error: 'e', detail: '' } as const
    const clientId = 'f'.repeat(32)
    const reason = 'code_redirect_uri_mismatch'
    trail.onEvent({ ...refused, reason, clientId, subject: 'ada', reference: 'ABCD-1234' })
    trail.onEvent({ ...refused, reason: 'client_unknown', clientId: 'typed' })
    await trail.close()
    const [first, second, ...others] = await entriesOf(database)
    expect(first).toMatchObject({ reason, clientId, subject: 'ada' })
    expect(second).toMatchObject({ reason: 'client_unknown' })
    expect([second?.clientId, others]).toEqual([undefined, []])
  })

  it('has what the operator does with accounts and integrations', async () => {
    const DATABASE_URL = await newFile()
    const demoAccounts = [{ account: DANA, publicPassword: 'demo' }]
    const server = await runServer({ DATABASE_URL }, {}, { definition: { demoAccounts } })
    const { accounts, clients } = server
    await accounts.setPassword('teacher-account', 'scrypt$')
    await accounts.setDisabled('teacher-account', true)
    await accounts.setDisabled('teacher-account', false)
    await accounts.remove('teacher-account')
    await accounts.remove('teacher-account')
    const { clientId } = await clients.add({
      clientName: 'A',
      redirectUris: ['https://a.example/'],
    })
    await clients.remove(clientId)
    await server.close()
    const subject = 'teacher-account'
    expect(await entriesOf(await connected(DATABASE_URL))).toMatchObject([
      { type: 'account_added', subject: 'demo-account', by: 'demo' },
      { type: 'account_added', subject, by: 'operator' },
      { type: 'account_password_changed', subject },
      { type: 'account_disabled', subject },
      { type: 'account_enabled', subject },
      { type: 'account_removed', subject },
      { type: 'client_added', clientId },
      { type: 'client_removed', clientId },
    ])
  })

  it('queues a limited number of entries while the database is unreachable, and drops the least important first', async () => {
    const database = await connected(await newFile())
    const warnings: string[] = []
    const trail = auditTrail(database, { days: 365, onWarning: (warning) => warnings.push(warning) })
    await sql`alter table audit rename to elsewhere`.execute(database)
    for (let n = 0; n < 2000; n++) trail.onEvent({ type: 'account_disabled', subject: `user ${n}` })
    trail.onEvent({ type: 'refused', path: '/', error: 'e', reason: 'a_reason', detail: '' })
    await trail.flush()
    await trail.flush()
    for (let n = 2000; n < 12_000; n++) trail.onEvent({ type: 'account_disabled', subject: `user ${n}` })
    expect(warnings).toEqual([expect.stringContaining('waits for its database')])
    await sql`alter table elsewhere rename to audit`.execute(database)
    await trail.close()
    const entries = await entriesOf(database)
    expect(entries.slice(0, 10_000).map(({ subject }) => subject)).toEqual(
      Array.from({ length: 10_000 }, (_, n) => `user ${n}`),
    )
    const leftOut = entries.slice(10_000)
    expect(leftOut[0]).toMatchObject({ type: 'left_out', reasons: { a_reason: 1 } })
    expect(leftOut[1]).toMatchObject({ subject: 'user 10000', reasons: { account_disabled: 1 } })
    expect(leftOut.at(-1)).toMatchObject({ reasons: { account_disabled: 1980 } })
    expect(warnings).toHaveLength(1)
  })
})
