import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addTool, answerDevice } from './device-client.ts'
import { type RunningService, runService } from './service.ts'

/** The library by which GitHub's command line signs in (cli/oauth), which waits its intervals out. */

const SOURCE = fileURLToPath(new URL('github-cli', import.meta.url))
const there = spawnSync('go', ['version']).error === undefined
if (!there) console.warn("Not run: the library of GitHub's command line. It needs go.")

describe.runIf(there)('cli/oauth', () => {
  let folder: string
  let service: RunningService
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grantkit-github-cli-'))
    execFileSync('go', ['build', '-o', join(folder, 'program'), '.'], { cwd: SOURCE })
    service = await runService({ DEVICE_GRANT: 'integrations' })
  }, 300_000)
  afterAll(async () => {
    await service.close()
    await rm(folder, { recursive: true })
  })

  /** @returns the lines that the program prints, and its end */
  async function begin(clientId?: string) {
    const { baseUrl } = service
    const endpoints = [`${baseUrl}/api/oauth/device_authorization`, `${baseUrl}/api/oauth/token`]
    const program = spawn(join(folder, 'program'), [
      ...endpoints,
      clientId ?? (await addTool(service)).clientId,
    ])
    let complaint = ''
    program.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
    const nextLine = async () => String((await lines.next()).value)
    const ended = once(program, 'close').then(([status]) => ({ status, complaint }))
    return { nextLine, ended }
  }

  it('signs in by a user code', async () => {
    const { nextLine, ended } = await begin()
    const [uri, code = ''] = (await nextLine()).split(' ')
    expect(uri).toBe(`${service.baseUrl}/oauth/device`)
    await answerDevice(service, code)
    const tokens = JSON.parse(await nextLine())
    expect(tokens).toMatchObject({ Scope: 'openid courses:read', Type: 'Bearer' })
    const authorization = `Bearer ${tokens.Token}`
    expect((await fetch(`${service.baseUrl}/api/courses`, { headers: { authorization } })).status).toBe(200)
    expect(await ended).toMatchObject({ status: 0 })
  })

  it('ends when the user denies', async () => {
    const { nextLine, ended } = await begin()
    const [, code = ''] = (await nextLine()).split(' ')
    await answerDevice(service, code, 'deny')
    expect(await ended).toMatchObject({ status: 1, complaint: expect.stringContaining('access_denied') })
  })

  it('gets unauthorized_client if its client lacks the grant, and falls back to a browser', async () => {
    const metadata = { grantTypes: ['authorization_code'], redirectUris: ['https://a.example/'] }
    const { clientId: client_id } = await addTool(service, metadata)
    const { ended } = await begin(client_id)
    expect(await ended).toMatchObject({
      status: 1,
      complaint: expect.stringContaining('device flow not supported'),
    })
  })
})
