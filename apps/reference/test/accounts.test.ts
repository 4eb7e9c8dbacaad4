import { join } from 'node:path'
import type { Account } from '@grantkit/server/internal/accounts/accounts'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { DEMO_ACCOUNT, DEMO_ACCOUNTS } from '../src/demo-accounts.ts'
import { writeAccounts } from './accounts-file.ts'
import { onEachDatabase } from './on-each-database.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

const EMAIL = 'demo@example.com'
const [DEMO] = DEMO_ACCOUNTS.map(({ account }) => account) as [Account]

onEachDatabase((newDatabase) => {
  const started = async () => {
    const service = await runService({ DATABASE_URL: await newDatabase() })
    onTestFinished(() => service.close())
    const { access_token, refresh_token, client_id } = await signedIn(service.baseUrl, 'courses:read')
    const body = { grant_type: 'refresh_token', refresh_token, client_id }
    return {
      ...service,
      refresh: () =>
        fetch(`${service.baseUrl}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(body) }),
      call: () =>
        fetch(`${service.baseUrl}/api/courses`, { headers: { authorization: `Bearer ${access_token}` } }),
    }
  }

  it('rejects a disabled account, its refresh token and its access token', async () => {
    const { accounts, events, refresh, call } = await started()
    await accounts.setDisabled(DEMO_ACCOUNT, true)
    expect(await accounts.verify(EMAIL, 'demo')).toBeUndefined()
    expect([(await call()).status, (await refresh()).status], 'the next refresh ends it').toEqual([200, 400])
    expect(events).toContainEqual(expect.objectContaining({ type: 'grant_ended', reason: 'subject_gone' }))
    expect((await call()).status).toBe(401)
    await accounts.setDisabled(DEMO_ACCOUNT, false)
    expect((await accounts.verify(EMAIL, 'demo'))?.id).toBe(DEMO_ACCOUNT)
    expect((await refresh()).status, 'what ended stays ended').toBe(400)
  })

  it('never reuses the id of a removed account, and does not keep its address', async () => {
    const { accounts } = await started()
    expect(await accounts.remove(DEMO_ACCOUNT)).toBe(true)
    expect(await accounts.add(DEMO), 'the id was taken once').toBe(false)
    expect(await accounts.find(DEMO_ACCOUNT)).toBeUndefined()
    expect(await accounts.add({ ...DEMO, id: 'another' })).toBe(true)
    expect((await accounts.verify(EMAIL, 'demo'))?.id).toBe('another')
  })

  it('adds one account when many are added with one address at once', async () => {
    const { accounts } = await started()
    const added = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        accounts.add({ ...DEMO, id: `id-${n}`, email: 'one@school.example' }),
      ),
    )
    expect(added.filter(Boolean)).toHaveLength(1)
  })

  it('imports a file of accounts, without those that were removed', async () => {
    const DATABASE_URL = await newDatabase()
    const ACCOUNTS_FILE = join(await temporaryFolder(), 'accounts.json')
    await writeAccounts(ACCOUNTS_FILE, [DEMO])
    for (const expected of [true, false]) {
      const service = await runService({ DATABASE_URL, ACCOUNTS_FILE })
      expect((await service.accounts.verify(EMAIL, 'demo')) !== undefined).toBe(expected)
      await service.accounts.remove(DEMO_ACCOUNT)
      await service.close()
    }
  })
})
