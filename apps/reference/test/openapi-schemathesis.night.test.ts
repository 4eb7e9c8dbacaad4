import { installSchemathesis, runSchemathesis } from '@grantkit/test-servers/schemathesis'
import { describe, expect, it } from 'vitest'
import { runService } from './service.ts'

const missing = await installSchemathesis()
if (missing !== undefined) console.warn(`Not compared with openapi.json by schemathesis. ${missing}`)

/** Thousands of requests, made from the description and against it. */
describe.skipIf(missing !== undefined)('schemathesis', () => {
  it('finds no response that openapi.json does not describe', async () => {
    const service = await runService({ RATE_LIMITS: 'off' })
    const { found, printed } = await runSchemathesis(`${service.baseUrl}/openapi.json`, 6)
    await service.close()
    expect(found, printed).toBe(false)
    expect(service.errors).toEqual([])
  }, 600_000)
})
