import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { startProgram } from '@grantkit/test-servers/started-program'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { grantkitProgram } from './grantkit-program.ts'

/** The revocation feed under load: a process that revokes, and one at an edge that has nothing but the feed. */

/** The promise of the feed, in milliseconds: no edge honours a revoked token for longer. */
const PROMISE = 10_000
const REVOCATIONS = 500
/** Milliseconds between two of them, so that they come at any time between two questions of the edge. */
const PACE = 30
/** Tokens that are not revoked. */
const KEPT = 20

const SCOPES = { 'notes:read': { description: 'Read your notes' } }

/** A server, an edge, and a client that gets tokens for the edge by client credentials. */
async function serverWithEdge() {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'grantkit.config.json'), JSON.stringify({ scopes: SCOPES }))
  const program = grantkitProgram(folder, {
    JWT_ACCESS_TOKENS: 'on',
    JWT_ACCESS_TOKEN_LIFETIME: '600',
    CLIENT_CREDENTIALS: 'on',
    RATE_LIMITS: 'off',
  })
  const { url: issuer } = await program.start()
  const added = async (...words: string[]) => {
    const { client_id, client_secret } = JSON.parse(await program.run(['clients', 'add', '--json', ...words]))
    return { client_id, client_secret } as { client_id: string; client_secret: string }
  }
  const edge = await added('--name', 'Edge', '--resource-server')
  const machine = ['--grant', 'client_credentials', '--scope', 'notes:read']
  const job = await added('--name', 'Job', '--auth', 'client_secret_post', ...machine)
  const credentials = { ISSUER: issuer, CLIENT_ID: edge.client_id, CLIENT_SECRET: edge.client_secret }
  const line = `exec ${process.execPath} ${join(import.meta.dirname, 'edge-server.ts')}`
  const PORT = String(await freePort())
  const started = await startProgram(line, folder, { ...credentials, PORT })
  onTestFinished(() => started.close())
  return { issuer, job, edge: started.url }
}

async function post(url: string, form: Record<string, string>): Promise<Response> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  expect(response.status, response.ok ? '' : await response.text()).toBe(200)
  return response
}

it('no edge accepts a token ten seconds after it was revoked, of five hundred', {
  timeout: 300_000,
}, async () => {
  const { issuer, job, edge } = await serverWithEdge()
  const request = { ...job, grant_type: 'client_credentials', resource: issuer }
  const newToken = async () => {
    const response = await post(`${issuer}/api/oauth/token`, request)
    return ((await response.json()) as { access_token: string }).access_token
  }
  const statusOf = async (token: string) =>
    (await fetch(edge, { headers: { authorization: `Bearer ${token}` } })).status

  const tokens: string[] = []
  while (tokens.length < REVOCATIONS + KEPT)
    tokens.push(...(await Promise.all(Array.from({ length: 20 }, newToken))))
  const kept = tokens.splice(REVOCATIONS)
  for (const token of tokens) expect(await statusOf(token)).toBe(200)

  /** How long the edge went on to accept a token after the answer to its revocation, in milliseconds. */
  async function acceptedFor(token: string): Promise<number> {
    await post(`${issuer}/api/oauth/revoke`, { ...job, token })
    const revoked = Date.now()
    let accepted = 0
    for (; Date.now() - revoked <= 2 * PROMISE; await wait(500)) {
      const sent = Date.now()
      if ((await statusOf(token)) === 401) return accepted
      accepted = sent - revoked
    }
    return accepted
  }
  const measured = await Promise.all(
    tokens.map(async (token, index) => {
      await wait(index * PACE)
      return acceptedFor(token)
    }),
  )
  expect(measured.filter((milliseconds) => milliseconds > PROMISE)).toEqual([])
  await wait(PROMISE)
  for (const token of tokens) expect(await statusOf(token)).toBe(401)
  for (const token of kept) expect(await statusOf(token)).toBe(200)
})
