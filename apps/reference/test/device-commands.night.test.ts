import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addTool, answerDevice } from './device-client.ts'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'

/** The demonstration of the device grant, run as a person runs it. */

let service: RunningService
beforeAll(async () => {
  service = await runService({ DEVICE_GRANT: 'integrations' })
})
afterAll(() => service.close())

describe('demo --device', () => {
  const demonstrate = (...args: string[]) =>
    run('commands/demo.ts', ['--device', '--url', service.baseUrl, ...args])

  it('runs the whole flow', async () => {
    const { clientId } = await addTool(service)
    const demo = demonstrate('--client-id', clientId)
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
    expect(demo.output()).toContain('clients add')
    expect(demo.output()).not.toContain('    at ')
  })
})
