import { createHash } from 'node:crypto'
import { freePort } from '@grantkit/test-servers/free-port'
import { type NewStorage, newStorage, storageUnderTest } from '@grantkit/test-servers/new-storage'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer, WITH_API } from './running-server.ts'
import { signedIn, user } from './signed-in-browser.ts'

/** Two replicas of the server behind one address, sharing a server of records: Postgres, otherwise Redis. */

let storage: NewStorage
let replicas: readonly [RunningServer, RunningServer]
const REDIRECT_URI = 'http://127.0.0.1:49200/callback'
const SECRET = 'the same on every replica, and long enough'
beforeAll(async () => {
  storage = await newStorage(storageUnderTest === 'postgres' ? 'postgres' : 'redis')
  const first = await freePort()
  const BASE_URL = `http://127.0.0.1:${first}`
  const shared = { BASE_URL, SECRET, ...storage.environment }
  replicas = await Promise.all([
    runServer({ ...shared, PORT: String(first) }, {}, WITH_API),
    runServer({ ...shared, PORT: String(await freePort()) }, {}, WITH_API),
  ])
})
afterAll(async () => {
  for (const replica of replicas) await replica.close()
  await storage.close()
})

const at = (index: number, path: string) => `http://127.0.0.1:${replicas[index]?.port}${path}`
const notes = (index: number, token: string) =>
  fetch(at(index, '/api/notes'), { headers: { authorization: `Bearer ${token}` } })
const post = (index: number, path: string, form: Record<string, string>) =>
  fetch(at(index, path), { method: 'POST', body: new URLSearchParams(form) })

describe('two replicas', () => {
  it('serve one flow of a client, with any mix of replicas', async () => {
    const [here, there] = replicas.map(({ port }) => `http://127.0.0.1:${port}`) as [string, string]
    const { client_id } = (await (
      await fetch(`${here}/api/oauth/register`, {
        method: 'POST',
        body: JSON.stringify({ redirect_uris: [REDIRECT_URI] }),
        headers: { 'content-type': 'application/json' },
      })
    ).json()) as { client_id: string }
    const code_verifier = 'v'.repeat(43)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: REDIRECT_URI,
      scope: 'notes:read',
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const callback = await user(there)(`${there}/oauth/authorize?${query}`)
    const code = callback.searchParams.get('code') ?? ''
    const exchange = { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT_URI }
    const tokens = await (await post(0, '/api/oauth/token', { ...exchange, code_verifier })).json()
    expect(tokens).toMatchObject({ refresh_token: expect.any(String) })
  })

  it('accept the tokens that the other issued, and see its revocations at once', async () => {
    const { client_id, access_token, refresh_token } = await signedIn(replicas[0].baseUrl, 'notes:read')
    expect((await notes(1, access_token)).status).toBe(200)
    expect((await post(1, '/api/oauth/revoke', { client_id, token: refresh_token })).status).toBe(200)
    expect((await notes(0, access_token)).status).toBe(401)
  })

  it('see sign-outs at the other', async () => {
    const cookie = await sessionCookie(replicas[0].baseUrl)
    const account = (index: number) =>
      fetch(at(index, '/account'), { headers: { cookie }, redirect: 'manual' })
    expect((await account(1)).status).toBe(200)
    await fetch(at(0, '/logout'), { method: 'POST', headers: { cookie }, redirect: 'manual' })
    for (const index of [0, 1]) expect((await account(index)).status).toBe(303)
  })

  it('return one pair of tokens to a client that refreshes at both at once', async () => {
    const { client_id, refresh_token } = await signedIn(replicas[0].baseUrl, 'notes:read')
    const form = { grant_type: 'refresh_token', client_id, refresh_token }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post(n % 2, '/api/oauth/token', form)),
    )
    const pairs = await Promise.all(
      answers.map(async (answer) => (await answer.json()) as Record<string, unknown>),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(pairs.map((pair) => `${pair.access_token} ${pair.refresh_token}`)).size).toBe(1)
  })

  it('see a client that a command added', async () => {
    const args = ['clients', 'add', '--name', 'Zap', '--redirect-uri', 'https://zap.example/cb', '--json']
    const { client_id, client_secret } = JSON.parse((await ranCommand(replicas[0], args)).output)
    for (const index of [0, 1]) {
      expect(
        await (await post(index, '/api/oauth/introspect', { client_id, client_secret, token: 'x' })).json(),
      ).toEqual({ active: false })
    }
  })
})
