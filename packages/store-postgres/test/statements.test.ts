import { describeStore } from '@grantkit/testkit'
import { afterAll, beforeAll, describe } from 'vitest'
import { createPostgresStore, migrate } from '../src/index.ts'
import { PATIENT } from './patient.ts'
import { postgresInProcess } from './postgres-in-process.ts'

let server: Awaited<ReturnType<typeof postgresInProcess>>
beforeAll(async () => {
  server = await postgresInProcess()
})
afterAll(() => server.close())

describe.each(['postgres', 'distributed'] as const)('the statements of the dialect %s', (dialect) => {
  const options = { ...PATIENT, dialect, prefix: `${dialect}_` }
  beforeAll(() => migrate(server.pool, options))

  describeStore(
    dialect,
    async ({ now }) => ({ store: await createPostgresStore(server.pool, { ...options, now }) }),
    {
      transients: true,
      namespaces: true,
    },
  )
})
