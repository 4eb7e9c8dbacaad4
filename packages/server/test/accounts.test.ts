import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { DANA } from './people.ts'
import { runServer, WITH_API } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

onEachDatabase((newDatabase) => {
  const started = async () => {
    const server = await runServer({ DATABASE_URL: await newDatabase() }, {}, WITH_API)
    onTestFinished(() => server.close())
    const { access_token, refresh_token, client_id } = await signedIn(server.baseUrl, 'notes:read')
    const body = { grant_type: 'refresh_token', refresh_token, client_id }
    return {
      ...server,
      refresh: () =>
        fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(body) }),
      call: () =>
        fetch(`${server.baseUrl}/api/notes`, { headers: { authorization: `Bearer ${access_token}` } }),
    }
  }

  it('rejects a disabled account, its refresh token and its access token', async () => {
    const { accounts, events, refresh, call } = await started()
    await accounts.setDisabled(DANA.id, true)
    expect(await accounts.verify(DANA.email, 'demo')).toBeUndefined()
    expect([(await call()).status, (await refresh()).status], 'the next refresh ends it').toEqual([200, 400])
    expect(events).toContainEqual(expect.objectContaining({ type: 'grant_ended', reason: 'subject_gone' }))
    expect((await call()).status).toBe(401)
    await accounts.setDisabled(DANA.id, false)
    expect((await accounts.verify(DANA.email, 'demo'))?.id).toBe(DANA.id)
    expect((await refresh()).status, 'what ended stays ended').toBe(400)
  })

  it('never reuses the id of a removed account, and does not keep its address', async () => {
    const { accounts } = await started()
    expect(await accounts.remove(DANA.id)).toBe(true)
    expect(await accounts.add(DANA), 'the id was taken once').toBe(false)
    expect(await accounts.find(DANA.id)).toBeUndefined()
    expect(await accounts.add({ ...DANA, id: 'another' })).toBe(true)
    expect((await accounts.verify(DANA.email, 'demo'))?.id).toBe('another')
  })

  it('adds one account when many are added with one address at once', async () => {
    const { accounts } = await started()
    const added = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        accounts.add({ ...DANA, id: `id-${n}`, email: 'one@school.example' }),
      ),
    )
    expect(added.filter(Boolean)).toHaveLength(1)
  })

  it('imports a file of accounts, without those that were removed', async () => {
    const DATABASE_URL = await newDatabase()
    const ACCOUNTS_FILE = join(await temporaryFolder(), 'accounts.json')
    await writeFile(ACCOUNTS_FILE, JSON.stringify({ accounts: [DANA] }))
    for (const expected of [true, false]) {
      const server = await runServer({ DATABASE_URL, ACCOUNTS_FILE })
      expect((await server.accounts.verify(DANA.email, 'demo')) !== undefined).toBe(expected)
      await server.accounts.remove(DANA.id)
      await server.close()
    }
  })
})
