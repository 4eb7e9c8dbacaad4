import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestCluster, type TestCluster } from '../cluster.ts'

/** The configuration of the balancer as it is shipped, with the real HAProxy in front of the real service. */

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster(1)
})
afterAll(() => cluster.stop())

/** Sends the beginning of a request and then single bytes. @returns the whole response */
async function trickled(beginning: string): Promise<string> {
  const socket = connect(Number(new URL(cluster.baseUrl).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(beginning)
  const trickle = setInterval(() => socket.write('x'), 200)
  return text(socket).finally(() => clearInterval(trickle))
}

/** HAProxy says on its terminal that it has taken the last replica out of a backend. */
const noticedBy = (backend: 'grantkit' | 'running') =>
  expect.poll(cluster.output).toContain(`backend '${backend}' has no server available`)

/** Redis or the replica starts, and then HAProxy checks it again. */
const isBack = () => expect.poll(async () => (await fetch(`${cluster.baseUrl}/readyz`)).status).toBe(200)

async function expectUnavailable(): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'some', refresh_token: 'token' })
  const answer = await fetch(`${cluster.baseUrl}/api/oauth/token`, { method: 'POST', body })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
}

describe('the balancer', () => {
  it('finds the service ready and forwards requests', async () => {
    const metadata = await fetch(`${cluster.baseUrl}/.well-known/oauth-authorization-server`)
    expect(await metadata.json()).toMatchObject({ issuer: cluster.baseUrl })
  })

  it('forwards bodies up to the limit of the service', async () => {
    const register = (client_name: string) =>
      fetch(`${cluster.baseUrl}/api/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'], unknown: client_name }),
      })
    expect((await register('x'.repeat(60_000))).status).toBe(201)
    expect((await register('x'.repeat(70_000))).status).toBe(413)
  })

  // HAProxy waits five seconds for a slow caller, and meanwhile the store has its outage.
  it.concurrent('closes the connection of a caller that sends headers or a body too slowly', async () => {
    const headers = 'POST /api/oauth/token HTTP/1.1\r\nHost: a\r\n'
    const answers = await Promise.all([
      trickled(`${headers}X-Slow: `),
      trickled(`${headers}Content-Length: 10000\r\n\r\nhalf`),
    ])
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  })

  it.concurrent('forwards requests that need no store during an outage of the store, and returns the errors of the service for others', async () => {
    await cluster.redis.stop()
    await noticedBy('grantkit')
    for (const path of ['/.well-known/oauth-authorization-server', '/login', '/healthz'])
      expect((await fetch(cluster.baseUrl + path)).status, path).toBe(200)
    await expectUnavailable()
    await cluster.redis.restart()
    await isBack()
  })

  it('answers itself in JSON, with the time of a retry, while no replica runs', async () => {
    cluster.replica(0).kill('SIGKILL')
    await noticedBy('running')
    await expectUnavailable()
    await cluster.start(0)
    await isBack()
  })
})
