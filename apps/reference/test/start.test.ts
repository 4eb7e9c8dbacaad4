import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newStorage } from './new-storage.ts'
import { run } from './program.ts'

async function start(environment: Record<string, string>) {
  const storage = await newStorage()
  onTestFinished(() => storage.close())
  return run('main.ts', [], { environment: { ...storage.environment, ...environment } })
}

describe('start', () => {
  it('prints its address, the demo account and the next steps, and exits with 0', async () => {
    const port = await freePort()
    const { stop, ended, printed, output } = await start({ PORT: String(port) })
    await printed('Try next')
    expect(output()).toContain(`http://127.0.0.1:${port}`)
    expect(output()).toContain('demo@example.com, password demo')
    expect(output()).toContain(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server`)
    expect(output()).toContain(`pnpm@12 demo --url http://127.0.0.1:${port}`)
    for (const probe of ['healthz', 'readyz'])
      expect((await fetch(`http://127.0.0.1:${port}/${probe}`)).status).toBe(200)
    stop()
    expect(await ended).toBe(0)
  })

  it('is not ready after SIGTERM but responds for a while, and SIGINT ends it at once', async () => {
    const port = await freePort()
    const { stop, ended, printed } = await start({ PORT: String(port) })
    await printed('Try next')
    const statusOf = async (probe: string) => (await fetch(`http://127.0.0.1:${port}/${probe}`)).status
    stop('SIGTERM')
    await expect.poll(() => statusOf('readyz')).toBe(503)
    expect(await statusOf('healthz')).toBe(200)
    stop('SIGINT')
    expect(await ended).toBe(0)
  })

  it('ends by itself when the drain is over', async () => {
    const { stop, ended, printed } = await start({ PORT: String(await freePort()), DRAIN_SECONDS: '0' })
    await printed('Try next')
    stop('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('logs what happens, without a secret, code or token', async () => {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const { stop, ended, printed, output } = await start({ PORT: String(port) })
    await printed('Try next')
    const json = { redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'client_secret_post' }
    const headers = { 'content-type': 'application/json' }
    const registration = await fetch(`${base}/api/oauth/register`, {
      method: 'POST',
      headers,
      body: JSON.stringify(json),
    })
    const { client_id, client_secret } = (await registration.json()) as Record<string, string>
    const code = `gkc_${'x'.repeat(22)}.${'y'.repeat(43)}`
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client_id ?? '',
      client_secret: client_secret ?? '',
      code,
      code_verifier: 'v'.repeat(43),
    })
    await fetch(`${base}/api/oauth/token`, { method: 'POST', body })
    await printed('code_unknown')
    stop()
    await ended
    expect(output()).toContain('client_registered')
    expect(output()).toContain(String(client_id))
    for (const secret of [client_secret, code, 'y'.repeat(43), 'v'.repeat(43)])
      expect(output()).not.toContain(secret)
  })

  it('reports that a port is in use, and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const { ended, output } = await start({ PORT: String(port) })
    expect(await ended).toBe(1)
    expect(output()).toMatch(/port is taken.*PORT=/)
    expect(output()).not.toContain('    at ')
    other.close()
  })

  it('writes only lines of JSON in production', async () => {
    const KEYS_FILE = join(await temporaryFolder(), 'keys.json')
    await run('cli.ts keys', ['rotate'], { environment: { KEYS_FILE } }).ended
    const { stop, ended, printed, output } = await start({
      NODE_ENV: 'production',
      BASE_URL: 'https://auth.school.example',
      PORT: String(await freePort()),
      SECRET: 'x'.repeat(32),
      KEYS_FILE,
    })
    await printed('listening')
    stop()
    expect(await ended).toBe(0)
    const lines = output().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(
      expect.arrayContaining(['listening', 'stopping']),
    )
  })

  it('lists everything that is missing in production', async () => {
    const { ended, output } = await start({ NODE_ENV: 'production' })
    expect(await ended).toBe(1)
    for (const name of ['SECRET', 'KEYS_FILE', 'BASE_URL']) expect(output()).toContain(`- ${name}`)
  })
})
