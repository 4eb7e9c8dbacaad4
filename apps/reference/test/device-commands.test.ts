import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerDevice } from './device-client.ts'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'

/** The commands around the device grant, run as a person runs them. */

let folder: string
let service: RunningService
let environment: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grantkit-device-'))
  environment = { STORE_URL: `sqlite:${join(folder, 'grants.sqlite')}`, DEVICE_GRANT: 'integrations' }
  service = await runService(environment)
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

const TOOL = ['add', '--name', 'Grantkit demo', '--public', '--grant', 'device']

async function addTool(more: readonly string[] = []): Promise<Record<string, unknown>> {
  const command = run('cli.ts integration', [...TOOL, '--json', ...more], { environment })
  expect(await command.ended, command.output()).toBe(0)
  return JSON.parse(command.output())
}

describe('integration add --grant device', () => {
  it('adds a client without a redirect URI, or with one and the authorization code grant', async () => {
    const device = 'urn:ietf:params:oauth:grant-type:device_code'
    expect(await addTool()).toMatchObject({ redirect_uris: [], grant_types: ['refresh_token', device] })
    expect(await addTool(['--redirect-uri', 'https://tool.example/cb'])).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token', device],
    })
  })

  it('says what is missing where the service has no such grant', async () => {
    const command = run('cli.ts integration', TOOL, {
      environment: { ...environment, DEVICE_GRANT: 'off' },
    })
    expect(await command.ended).toBe(2)
    expect(command.output()).toContain('--grant device needs DEVICE_GRANT=integrations.')
  })
})

describe('demo --device', () => {
  const demonstrate = (...args: string[]) =>
    run('commands/demo.ts', ['--device', '--url', service.baseUrl, ...args])

  it('runs the whole flow', async () => {
    const { client_id } = await addTool()
    const demo = demonstrate('--client-id', String(client_id))
    await demo.printed('and type')
    const [, code = ''] = /and type (\S+)/.exec(demo.output()) ?? []
    expect(demo.output()).toContain(`${service.baseUrl}/oauth/device`)
    expect(await answerDevice(service, code)).toContain('The device has access')
    expect(await demo.ended, demo.output()).toBe(0)
    for (const text of ['Dana Moore', 'Watercolour basics', 'Refreshing', '401 {"error":"invalid_token"'])
      expect(demo.output()).toContain(text)
  })

  it('says how to get a client if dynamic registration does not allow the grant', async () => {
    const demo = demonstrate()
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toContain('integration add')
    expect(demo.output()).not.toContain('    at ')
  })
})
