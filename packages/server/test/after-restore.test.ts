import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newUser } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer, WITH_API } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** `grantkit after-restore`: what a backup of the database or of the store must not bring back. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer({}, {}, WITH_API)
})
afterAll(() => server.close())

/** The accounts and sessions as they are. @returns brings them back */
async function backUp() {
  const { database } = server
  const tables = ['account', 'session'] as const
  const rows = await Promise.all(tables.map((table) => database.selectFrom(table).selectAll().execute()))
  return async () => {
    for (const [index, table] of tables.entries()) {
      await database.deleteFrom(table).execute()
      await database
        .insertInto(table)
        .values(rows[index] ?? [])
        .execute()
    }
  }
}

/** The time of the backup that the command prints. */
const timeIn = (output: string) => /newest entry .* is of (\S+)\./.exec(output)?.[1] ?? output

/** The server writes its trail after it has answered. */
const kept = (type: string, user: string) =>
  expect
    .poll(async () => (await ranCommand(server, ['trail', 'list', '--type', type, '--user', user])).output)
    .toContain(type)

const statusOf = async (cookie: string) =>
  (await fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })).status

describe('after a restore of the database', () => {
  it('every session ends, also those that began after the backup', async () => {
    const { id, email } = await newUser(server, 'a password')
    const signIn = () => sessionCookie(server.baseUrl, email, 'a password')
    const cookies = [await signIn()]
    const restore = await backUp()
    for (let time = 0; time < 2; time++) {
      await server.accounts.endSessions(id, 'user')
      cookies.push(await signIn())
    }
    await server.accounts.endSessions(id, 'user')
    const statuses = () => Promise.all(cookies.map(statusOf))
    expect(await statuses()).toEqual([303, 303, 303])
    await restore()
    expect(await statuses(), 'the backup brings one back').toEqual([200, 303, 303])
    const { status, output } = await ranCommand(server, ['after-restore'])
    expect([status, output]).toEqual([0, expect.stringContaining('Every user is signed out.')])
    expect(await statuses()).toEqual([303, 303, 303])
    for (let time = 0; time < 3; time++) {
      expect(await statusOf(await signIn())).toBe(200)
      await server.accounts.endSessions(id, 'user')
      expect(await statuses()).toEqual([303, 303, 303])
    }
  })

  it('the time of the backup is printed, and what to repeat from the log', async () => {
    const since = new Date().toISOString()
    const { id } = await newUser(server, 'a password')
    await kept('account_added', id)
    const { output } = await ranCommand(server, ['after-restore'])
    expect(timeIn(output) >= since, output).toBe(true)
    for (const line of [/account_disabled +grantkit users disable <subject>/, /passkey_removed/])
      expect(output).toMatch(line)
    expect(output).toContain('STORE_URL')
    expect(output).toContain('The time holds only if the database was backed up before the store;')
  })

  it('run once more, it prints the same time, and once the server is in use, when it ran', async () => {
    const { id, email } = await newUser(server, 'a password')
    await kept('account_added', id)
    const { output: first } = await ranCommand(server, ['after-restore'])
    for (const again of [['--grants'], [], []]) {
      const { output } = await ranCommand(server, ['after-restore', ...again])
      expect(timeIn(output)).toBe(timeIn(first))
    }
    await sessionCookie(server.baseUrl, email, 'a password')
    await kept('sign_in_succeeded', id)
    const { output } = await ranCommand(server, ['after-restore'])
    expect(timeIn(output) > timeIn(first)).toBe(true)
    expect(output).toMatch(/This command ran before, at 20\S+Z\. /)
  })

  it('the audit trail has it, and who ran it', async () => {
    await ranCommand(server, ['after-restore'])
    const { output } = await ranCommand(server, ['trail', 'export', '--type', 'sessions_ended'])
    const all = output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ subject }) => subject === undefined)
    expect(all.at(-1)).toMatchObject({ by: 'operator', actor: expect.stringContaining('command:') })
  })

  it('grants stay, unless --grants ends them for a restored store', async () => {
    const app = await signedIn(server.baseUrl, 'notes:read')
    const call = async () => {
      const headers = { authorization: `Bearer ${app.access_token}` }
      return (await fetch(`${server.baseUrl}/api/notes`, { headers })).status
    }
    await ranCommand(server, ['after-restore'])
    expect(await call()).toBe(200)
    const { output } = await ranCommand(server, ['after-restore', '--grants'])
    expect(output).toMatch(/\d+ grants? ended/)
    expect(await call()).toBe(401)
  })
})
