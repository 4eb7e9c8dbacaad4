import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import type { Approval, TestClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDynamoStore, type DynamoStore } from '../src/index.ts'
import { bytesOf, countedClient, type Operation } from './counted-client.ts'
import { openFlow, RESOURCE, SIX_SCOPES } from './flow.ts'
import { newTable, PATIENCE, type TableUnderTest } from './table-under-test.ts'

/** What requests cost: dynalite counts units as DynamoDB does. */

let table: TableUnderTest
let client: DynamoDBClient
let operations: Operation[]
let store: DynamoStore
beforeAll(async () => {
  const server = await startDynalite()
  table = await newTable(server)
  ;({ client, operations } = countedClient(server.endpoint))
  store = createDynamoStore(client, { table: table.table, ...PATIENCE })
})
afterAll(async () => {
  client.destroy()
  await table.close()
})

/** The commands of a step, sorted, with their units. */
async function costOf(step: () => Promise<unknown>): Promise<string[]> {
  operations.length = 0
  await step()
  return operations.map(({ command, units }) => `${command} ${units}`).sort()
}

const approval = (flow: TestClient): Promise<Approval> =>
  flow.approve(SIX_SCOPES.join(' '), { resource: RESOURCE })

it('writes a grant with six scopes, two live access tokens and a rotated refresh token in less than a kilobyte', async () => {
  const flow = await openFlow(store)
  const { refresh_token = '' } = await flow.redeem(await approval(flow))
  await flow.refresh(refresh_token)
  const { Items = [] } = await client.send(new ScanCommand({ TableName: table.table }))
  const [bytes = 0] = Items.filter(({ pk }) => pk?.S?.startsWith('g#')).map(bytesOf)
  expect(bytes).toBeGreaterThan(800)
  expect(bytes).toBeLessThan(1000)
})

describe('in read units (GetItem, Query) and write units (PutItem)', () => {
  it('a registration costs one write', async () => {
    expect(await costOf(() => openFlow(store))).toEqual(['PutItem 1'])
  })

  it('a consent with its code costs five reads, and writes the grant, its list entry and the client', async () => {
    const flow = await openFlow(store)
    expect(await costOf(() => approval(flow))).toEqual([
      ...['GetItem 1', 'GetItem 1', 'GetItem 1'],
      ...['PutItem 1', 'PutItem 1', 'PutItem 1'],
      ...['Query 1', 'Query 1'],
    ])
  })

  it('a redemption, a refresh and a revocation each cost two reads and one write', async () => {
    const flow = await openFlow(store)
    const code = await approval(flow)
    const once = ['GetItem 1', 'GetItem 1', 'PutItem 1']
    let refresh_token = ''
    expect(await costOf(async () => ({ refresh_token = '' } = await flow.redeem(code)))).toEqual(once)
    expect(await costOf(async () => ({ refresh_token = '' } = await flow.refresh(refresh_token)))).toEqual(
      once,
    )
    expect(await costOf(() => flow.revoke(refresh_token))).toEqual(once)
  })

  it('fifty refreshes of one token at once cost one write', async () => {
    const flow = await openFlow(store)
    const { refresh_token = '' } = await flow.redeem(await approval(flow))
    operations.length = 0
    const answers = await Promise.all(Array.from({ length: 50 }, () => flow.refresh(refresh_token)))
    const [successor = '', ...others] = new Set(answers.map((answer) => answer.refresh_token))
    expect(others, 'they all get the same token').toEqual([])
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const written = operations.filter(({ command, units }) => command === 'PutItem' && units > 0)
    expect(written).toHaveLength(1)
    expect(await flow.refresh(successor)).toMatchObject({ status: 200 })
  })
})
