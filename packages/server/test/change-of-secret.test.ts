import { newStorage } from '@grantkit/test-servers/new-storage'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { expect, it } from 'vitest'
import { runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

const OLD = 'the old secret, of 32 characters or more'
const NEW = 'the new secret, of 32 characters or more'

it('a change of SECRET with SECRET_PREVIOUS keeps sessions and repeatable responses, and without it still every grant', async () => {
  const storage = await newStorage()
  const run = (secrets: Record<string, string>) => runServer({ ...storage.environment, ...secrets })
  const refresh = async (baseUrl: string, client_id: string, refresh_token: string) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    const answer = await fetch(`${baseUrl}/api/oauth/token`, { method: 'POST', body })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  const account = (baseUrl: string, cookie: string) =>
    fetch(`${baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })

  const before = await run({ SECRET: OLD })
  const cookie = await sessionCookie(before.baseUrl)
  const { client_id, refresh_token } = await signedIn(before.baseUrl, 'notes:read')
  const lost = await refresh(before.baseUrl, client_id, refresh_token)
  await before.close()

  const PORT = String(before.port)
  const meanwhile = await run({ PORT, SECRET: NEW, SECRET_PREVIOUS: OLD })
  expect((await account(meanwhile.baseUrl, cookie)).status).toBe(200)
  expect((await refresh(meanwhile.baseUrl, client_id, refresh_token)).body).toMatchObject({
    refresh_token: lost.body.refresh_token,
  })
  await meanwhile.close()

  const after = await run({ PORT, SECRET: NEW })
  expect((await account(after.baseUrl, cookie)).status, 'asks to sign in').toBe(303)
  expect((await refresh(after.baseUrl, client_id, refresh_token)).body.error).toBe('invalid_grant')
  expect((await refresh(after.baseUrl, client_id, String(lost.body.refresh_token))).status).toBe(200)
  await after.close()
  await storage.close()
})
