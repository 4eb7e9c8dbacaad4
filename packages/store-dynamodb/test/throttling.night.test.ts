import { DynamoDBClient, ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { CLIENT_SETTINGS, createDynamoStore } from '../src/index.ts'
import { openFlow, SIX_SCOPES } from './flow.ts'
import { LOCAL, newTable, PATIENCE, type TableUnderTest } from './table-under-test.ts'

/** Neither dynalite nor DynamoDB Local throttles: the client gets the error of DynamoDB, and does with it what it does. */

let table: TableUnderTest
let client: DynamoDBClient
const throttling = { on: false, attempts: 0 }
beforeAll(async () => {
  const server = await startDynalite()
  table = await newTable(server)
  client = new DynamoDBClient({
    ...LOCAL,
    endpoint: server.endpoint,
    maxAttempts: CLIENT_SETTINGS.maxAttempts,
  })
  client.middlewareStack.add(
    (next) => (args) => {
      if (!throttling.on) return next(args)
      throttling.attempts++
      throw new ProvisionedThroughputExceededException({
        message: 'The level of configured provisioned throughput for the table was exceeded',
        $metadata: { httpStatusCode: 400 },
      })
    },
    { step: 'deserialize' },
  )
})
afterAll(async () => {
  client.destroy()
  await table.close()
})

it('is a 503 with Retry-After for an app, whose refresh token is as good afterwards', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const flow = await openFlow(createDynamoStore(client, { table: table.table, ...PATIENCE }))
  const { refresh_token } = await flow.tokens(SIX_SCOPES.join(' '))
  throttling.on = true
  const refused = await flow.refresh(refresh_token)
  throttling.on = false
  expect(refused).toMatchObject({ status: 503, error: 'temporarily_unavailable' })
  expect(refused.response.headers).toMatchObject({ 'retry-after': '1' })
  expect(throttling.attempts, 'two commands at once, and the client repeats them').toBeGreaterThan(2)
  expect(await flow.refresh(refresh_token)).toMatchObject({ status: 200 })
})
