import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from './command.ts'
import { type NewStorage, newStorage } from './new-storage.ts'
import { type Program, run } from './program.ts'
import { runService } from './service.ts'

async function start(environment: Record<string, string>) {
  const storage = await newStorage()
  onTestFinished(() => storage.close())
  return run('main.ts', [], { environment: { ...storage.environment, ...environment } })
}

describe('start', () => {
  // The tests of one process, in the order of its life.
  let storage: NewStorage
  let program: Program
  let base: string
  beforeAll(async () => {
    storage = await newStorage()
    const PORT = String(await freePort())
    base = `http://127.0.0.1:${PORT}`
    program = run('main.ts', [], { environment: { ...storage.environment, PORT } })
    await program.printed('Try next')
  })
  afterAll(async () => {
    program.stop()
    await program.ended
    await storage.close()
  })
  const statusOf = async (probe: string) => (await fetch(`${base}/${probe}`)).status

  it('prints its address, the demo account and the next steps', async () => {
    expect(program.output()).toContain(base)
    expect(program.output()).toContain('demo@example.com, password demo')
    expect(program.output()).toContain(`${base}/.well-known/oauth-authorization-server`)
    expect(program.output()).toContain(`pnpm@12 demo --url ${base}`)
    for (const probe of ['healthz', 'readyz']) expect(await statusOf(probe)).toBe(200)
  })

  it('prints them after what it logged before', () => {
    const [before] = program.output().split('Harbour School')
    for (const account of ['demo-account', 'teacher-account']) expect(before).toContain(account)
  })

  it('logs what happens, without a secret, code or token', async () => {
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
    await program.printed('code_unknown')
    expect(program.output()).toContain('client_registered')
    expect(program.output()).toContain(String(client_id))
    for (const secret of [client_secret, code, 'y'.repeat(43), 'v'.repeat(43)])
      expect(program.output()).not.toContain(secret)
  })

  it('is not ready after SIGTERM but responds for a while, and SIGINT ends it at once, with 0', async () => {
    program.stop('SIGTERM')
    await expect.poll(() => statusOf('readyz')).toBe(503)
    expect(await statusOf('healthz')).toBe(200)
    program.stop('SIGINT')
    expect(await program.ended).toBe(0)
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

  it('lists everything that is missing in production', async () => {
    const { ended, output } = await start({ NODE_ENV: 'production' })
    expect(await ended).toBe(1)
    for (const name of ['SECRET', 'KEYS_FILE', 'BASE_URL']) expect(output()).toContain(`- ${name}`)
  })
})

describe('a start in production', () => {
  /** Settings with which it starts, and their key file and tables. */
  async function production(): Promise<Record<string, string>> {
    const folder = await temporaryFolder()
    const environment = {
      NODE_ENV: 'production',
      DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
      BASE_URL: 'https://auth.school.example',
      SECRET: 'x'.repeat(32),
      KEYS_FILE: join(folder, 'keys.json'),
    }
    for (const words of [['migrate'], ['keys', 'rotate']])
      expect(await runCommand(words, environment)).toMatchObject({ status: 0 })
    return environment
  }

  it('writes only lines of JSON', async () => {
    const environment = { ...(await production()), PORT: String(await freePort()) }
    const { stop, ended, printed, output } = run('main.ts', [], { environment })
    await printed('listening')
    stop()
    expect(await ended).toBe(0)
    const lines = output().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(
      expect.arrayContaining(['listening', 'stopping']),
    )
  })

  it('fails while a password is publicly known', async () => {
    const environment = await production()
    const { close } = await runService({ DATABASE_URL: String(environment.DATABASE_URL) })
    await close()
    const program = run('main.ts', [], { environment })
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain('The password of demo@example.com is publicly known')
  })

  it('adds no demo school without --demo, and a later one keeps it', async () => {
    const environment = await production()
    for (const [args, courses] of [
      [[], 0],
      [['--demo'], 5],
      [[], 5],
    ] as const) {
      const PORT = `${await freePort()}`
      const program = run('main.ts', args, { environment: { ...environment, PORT } })
      onTestFinished(() => program.stop())
      await program.printed('listening')
      const answer = await fetch(`http://127.0.0.1:${PORT}/api/courses`)
      expect(await answer.json(), args.join()).toMatchObject({ total: courses })
      program.stop()
      await program.ended
    }
  })
})
