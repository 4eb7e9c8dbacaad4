import { join } from 'node:path'
import { createMemoryStore } from '@grantkit/store-memory'
import { freePort } from '@grantkit/test-servers/free-port'
import { expect, it, onTestFinished } from 'vitest'
import { type Account, demoAccounts, writeAccounts } from '../src/accounts.ts'
import { hashPassword } from '../src/passwords.ts'
import { type RunningService, runService } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { signedIn } from './tokens.ts'
import { sessionCookie } from './user.ts'

/** The service, started again on the same store whenever its accounts file has changed. */

type StartWith = (accounts: readonly Account[]) => Promise<RunningService>

async function restarts(): Promise<StartWith> {
  const ACCOUNTS_FILE = join(await temporaryFolder(), 'accounts.json')
  const PORT = String(await freePort())
  const store = createMemoryStore()
  let running: RunningService | undefined
  onTestFinished(() => running?.close())
  return async (accounts) => {
    await running?.close()
    await writeAccounts(ACCOUNTS_FILE, accounts)
    running = await runService({ PORT, ACCOUNTS_FILE }, store)
    return running
  }
}

async function accountStatus({ baseUrl }: RunningService, cookie: string): Promise<number> {
  return (await fetch(`${baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })).status
}

it('a new password signs its user out in every browser, and nobody else', async () => {
  const startWith = await restarts()
  const [demo, teacher] = demoAccounts() as [Account, Account]
  const { baseUrl } = await startWith([demo, teacher])
  const cookies = [await sessionCookie(baseUrl), await sessionCookie(baseUrl)]
  const teachers = await sessionCookie(baseUrl, 'teacher@example.com', 'teacher')
  const unchanged = await startWith([demo, teacher])
  for (const cookie of [...cookies, teachers]) expect(await accountStatus(unchanged, cookie)).toBe(200)
  const changed = await startWith([{ ...demo, password: await hashPassword('another one') }, teacher])
  for (const cookie of cookies) expect(await accountStatus(changed, cookie)).toBe(303)
  expect(await accountStatus(changed, teachers)).toBe(200)
})

it('an account that was taken out gets no more tokens: the next refresh ends the grant', async () => {
  const startWith = await restarts()
  const [demo, teacher] = demoAccounts() as [Account, Account]
  const { baseUrl } = await startWith([demo, teacher])
  const apps = [
    await signedIn(baseUrl, 'courses:read'),
    await signedIn(baseUrl, 'courses:read', undefined, 'teacher'),
  ]
  const { events } = await startWith([teacher])
  const statuses = apps.map(async ({ client_id, access_token, refresh_token }) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    const refresh = await fetch(`${baseUrl}/api/oauth/token`, { method: 'POST', body })
    const headers = { authorization: `Bearer ${access_token}` }
    return [refresh.status, (await fetch(`${baseUrl}/api/courses`, { headers })).status]
  })
  expect(await Promise.all(statuses)).toEqual([
    [400, 401],
    [200, 200],
  ])
  expect(events).toContainEqual(expect.objectContaining({ type: 'grant_ended', reason: 'subject_gone' }))
})
