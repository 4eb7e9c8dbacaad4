/** The store in Cloudflare Workers, in their runtime: a server that is made once, and requests at once in its isolate. */
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import type { StartedProgram } from '@grantkit/test-servers/started-program'
import { startWorker } from '@grantkit/test-servers/workerd'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToPostgres, migrate } from '../src/index.ts'

let database: PostgresServer
let worker: StartedProgram
beforeAll(async () => {
  database = await startPostgres()
  const pool = await connectToPostgres(database.url)
  await migrate(pool)
  await pool.end()
  const entry = join(import.meta.dirname, 'worker/service.ts')
  worker = await startWorker(entry, { bindings: { DATABASE: database.url } })
})
afterAll(async () => {
  await worker?.close()
  await database.close()
})

const confidential = { metadata: { token_endpoint_auth_method: 'client_secret_post' } }

describe('in a Worker', () => {
  it('serves a client from its registration until its token is revoked', async () => {
    const app = await testClient(worker.url, confidential)
    const { refresh_token } = await app.tokens('notes:read')
    const second = await app.refresh(refresh_token)
    expect(await app.introspect(second.access_token ?? '')).toMatchObject({ active: true })
    await app.revoke(second.refresh_token ?? '')
    expect(await app.introspect(second.access_token ?? '')).toMatchObject({ active: false })
  })

  it('serves requests that come at once, each with connections of its own', async () => {
    const app = await testClient(worker.url, confidential)
    const { refresh_token } = await app.tokens('notes:read')
    const answers = await Promise.all(Array.from({ length: 12 }, () => app.refresh(refresh_token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1)
  })

  it('refuses a pool whose connections outlive their request', async () => {
    const response = await fetch(`${worker.url}/own-pool`)
    expect(await response.text()).toContain('connectToPostgres')
  })
})
