import { installSchemathesis, runSchemathesis } from '@grantkit/test-servers/schemathesis'
import { describe, expect, it } from 'vitest'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { runService } from './service.ts'

const missing = await installSchemathesis()
if (missing !== undefined) console.warn(`Not compared with openapi.json by schemathesis. ${missing}`)

/** Thousands of requests, made from the description and against it. */
describe.skipIf(missing !== undefined)('schemathesis', () => {
  it.each(Object.keys(FRAMEWORKS))(
    'finds no answer on %s that openapi.json does not describe',
    async (FRAMEWORK) => {
      const service = await runService({ FRAMEWORK, RATE_LIMITS: 'off' })
      const { found, printed } = await runSchemathesis(`${service.baseUrl}/openapi.json`, 10)
      await service.close()
      expect(found, printed).toBe(false)
      expect(service.errors).toEqual([])
    },
    600_000,
  )
})
