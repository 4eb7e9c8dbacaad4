import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { DEMO_ACCOUNT, DEMO_ACCOUNTS } from '../src/demo-accounts.ts'
import { writeAccounts } from './accounts-file.ts'
import { onBothDatabases } from './on-both-databases.ts'
import { run } from './program.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'
import { sessionCookie } from './user.ts'

const EMAIL = 'demo@example.com'
const demoAccounts = () => DEMO_ACCOUNTS.map(({ account }) => account)

onBothDatabases((newDatabase) => {
  const started = async (environment: Record<string, string> = {}) => {
    const service = await runService({ DATABASE_URL: await newDatabase(), ...environment })
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

  it('ends the grants of one account, and of no other', async () => {
    const { accounts, grants, call, refresh } = await started()
    expect(await grants.revokeAll((await accounts.idOf('teacher@example.com')) ?? '')).toBe(0)
    expect((await call()).status).toBe(200)
    expect(await grants.revokeAll((await accounts.idOf(EMAIL)) ?? '')).toBe(1)
    expect([(await call()).status, (await refresh()).status]).toEqual([401, 400])
  })

  it('signs a user out in every browser, and no other user', async () => {
    const { accounts, baseUrl } = await started()
    const visit = async (cookie: string) =>
      (await fetch(`${baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })).status
    const cookies = [await sessionCookie(baseUrl), await sessionCookie(baseUrl)]
    const teachers = await sessionCookie(baseUrl, 'teacher@example.com', 'teacher')
    for (const cookie of [...cookies, teachers]) expect(await visit(cookie)).toBe(200)
    await accounts.endSessions(DEMO_ACCOUNT, 'operator')
    for (const cookie of cookies) expect(await visit(cookie)).toBe(303)
    expect(await visit(teachers)).toBe(200)
  })

  it('never reuses the id of a removed account, and does not keep its address', async () => {
    const { accounts } = await started()
    expect(await accounts.remove(DEMO_ACCOUNT)).toBe(true)
    const [demo] = demoAccounts()
    if (demo === undefined) throw new Error('There is no demo account')
    expect(await accounts.add(demo), 'the id was taken once').toBe(false)
    expect(await accounts.find(DEMO_ACCOUNT)).toBeUndefined()
    expect(await accounts.add({ ...demo, id: 'another' })).toBe(true)
    expect((await accounts.verify(EMAIL, 'demo'))?.id).toBe('another')
  })

  it('adds one account when many are added with one address at once', async () => {
    const { accounts } = await started()
    const [demo] = demoAccounts()
    const added = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        accounts.add({ ...(demo as NonNullable<typeof demo>), id: `id-${n}`, email: 'one@school.example' }),
      ),
    )
    expect(added.filter(Boolean)).toHaveLength(1)
  })

  it('imports a file of accounts, without those that were removed', async () => {
    const DATABASE_URL = await newDatabase()
    const ACCOUNTS_FILE = join(await temporaryFolder(), 'accounts.json')
    await writeAccounts(ACCOUNTS_FILE, demoAccounts())
    for (const expected of [true, false]) {
      const service = await runService({ DATABASE_URL, ACCOUNTS_FILE })
      expect((await service.accounts.verify(EMAIL, 'demo')) !== undefined).toBe(expected)
      await service.accounts.remove(DEMO_ACCOUNT)
      await service.close()
    }
  })

  it('fails to start in production while a password is publicly known', async () => {
    const DATABASE_URL = await newDatabase()
    const { close } = await runService({ DATABASE_URL })
    await close()
    const environment = {
      NODE_ENV: 'production',
      DATABASE_URL,
      SECRET: 's'.repeat(32),
      KEYS_FILE: join(await temporaryFolder(), 'keys.json'),
      BASE_URL: 'https://school.example',
    }
    expect(await run('cli.ts keys', ['rotate'], { environment }).ended).toBe(0)
    const program = run('main.ts', [], { environment })
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain('The password of demo@example.com is publicly known')
  })
})
