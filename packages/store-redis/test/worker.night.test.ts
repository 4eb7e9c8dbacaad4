/** The store in Cloudflare Workers, in their runtime. */
import { join } from 'node:path'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import type { StartedProgram } from '@grantkit/test-servers/started-program'
import { startWorker } from '@grantkit/test-servers/workerd'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let redis: RedisServer
let worker: StartedProgram
beforeAll(async () => {
  redis = await startRedis()
  worker = await startWorker(join(import.meta.dirname, 'worker/attempts.ts'), {
    bindings: { REDIS: redis.url },
  })
})
afterAll(async () => {
  await worker?.close()
  await redis.close()
})

const outcomeOf = async (path: string) => (await fetch(`${worker.url}${path}`)).text()

describe('in a Worker', () => {
  it('connectToRedis says what to use instead', async () => {
    expect(await outcomeOf('/connect')).toContain('use createDurableStore of @grantkit/store-cloudflare')
  })

  it('createRedisStore refuses a client that the application has connected', async () => {
    expect(await outcomeOf('/own-client')).toContain('cannot keep a connection to Redis')
  })

  it('createRedisStore takes commands that need no connection', async () => {
    expect(await outcomeOf('/over-http')).toBe('made')
  })
})
