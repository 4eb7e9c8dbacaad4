import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { subjectKey } from '@grantkit/core/store-kit'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDynamoStore } from '../src/index.ts'
import { countedClient } from './counted-client.ts'
import { LOCAL, newTable, PATIENCE, type TableUnderTest } from './table-under-test.ts'

const clock = { time: 1_800_000_000 }
const HOUR = 3600

let endpoint: string
let table: TableUnderTest
let counted: ReturnType<typeof countedClient>
beforeAll(async () => {
  const server = await startDynalite()
  endpoint = server.endpoint
  table = await newTable(server)
  counted = countedClient(server.endpoint)
})
afterAll(async () => {
  counted.client.destroy()
  await table.close()
})

const store = () =>
  createDynamoStore(counted.client, { table: table.table, now: () => clock.time, ...PATIENCE })

async function opened(subject: string, differences = {}) {
  const grant = aGrant({ subject, createdAt: clock.time, ...differences })
  await store().grants.insert(grant.id, grant, clock.time + 24 * HOUR)
  return grant
}

/** The entries of a subject in the table. */
async function entriesOf(subject: string): Promise<number> {
  const command = new QueryCommand({
    TableName: table.table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :subject',
    ExpressionAttributeValues: { ':subject': { S: `u#${subjectKey(subject)}` } },
  })
  return (await table.client.send(command)).Count ?? 0
}

describe('the list of a subject', () => {
  it('is read strongly, with one query and one command for a hundred grants', async () => {
    await Promise.all(Array.from({ length: 60 }, () => opened('ann')))
    counted.operations.length = 0
    const { grants } = await store().grants.list({ subject: 'ann' }, { limit: 100 })
    expect(grants).toHaveLength(60)
    // A strong read of a grant costs one unit, half of it would be an eventual one.
    expect(counted.operations).toMatchObject([{ command: 'Query' }, { command: 'BatchGetItem', units: 60 }])
  })

  it('drops the entries of grants that are gone, an hour later', async () => {
    const [gone, live] = [await opened('bea'), await opened('bea')]
    await store().grants.remove(gone.id)
    await store().grants.list({ subject: 'bea' }, { limit: 10 })
    expect(await entriesOf('bea'), 'its grant may be about to be written').toBe(2)
    clock.time += HOUR + 1
    expect((await store().grants.list({ subject: 'bea' }, { limit: 10 })).grants).toEqual([live])
    expect(await entriesOf('bea')).toBe(1)
  })

  it('keeps an entry that was written again after it was read', async () => {
    const grant = await opened('cleo')
    await store().grants.remove(grant.id)
    clock.time += HOUR + 1
    const slow = new DynamoDBClient({ ...LOCAL, endpoint })
    slow.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'DeleteItemCommand')
            await store().grants.insert(grant.id, grant, clock.time + HOUR)
          return next(args)
        },
      { step: 'initialize' },
    )
    const { grants } = createDynamoStore(slow, { table: table.table, now: () => clock.time, ...PATIENCE })
    expect((await grants.list({ subject: 'cleo' }, { limit: 10 })).grants).toEqual([])
    expect((await store().grants.list({ subject: 'cleo' }, { limit: 10 })).grants).toEqual([grant])
    slow.destroy()
  })

  it('names a grant whose entry was lost with a first attempt, after the second one', async () => {
    const grant = aGrant({ subject: undefined })
    await store().grants.insert(grant.id, grant, clock.time + HOUR)
    const listed = { ...grant, subject: 'dora' }
    await store().grants.replace(grant.id, await seen(grant.id), listed, clock.time + HOUR)
    expect(await store().grants.insert(grant.id, listed, clock.time + HOUR)).toBe(false)
    expect((await store().grants.list({ subject: 'dora' }, { limit: 10 })).grants).toEqual([listed])
  })

  it('has the grants of one client among many of others in one page, the newest first', async () => {
    const mine = []
    for (let at = 0; at < 30; at++) {
      const grant = await opened('eve', {
        clientId: at % 10 === 0 ? 'mine' : 'other',
        createdAt: clock.time + at,
      })
      if (grant.clientId === 'mine') mine.unshift(grant)
    }
    const owner = { subject: 'eve', clientId: 'mine' }
    expect(await store().grants.list(owner, { limit: 5 })).toEqual({ grants: mine, next: undefined })
    const first = await store().grants.list(owner, { limit: 2 })
    expect(first.grants).toEqual(mine.slice(0, 2))
    expect((await store().grants.list(owner, { limit: 2, after: first.next })).grants).toEqual(mine.slice(2))
  })

  it('begins at the start after a cursor that is longer than a key may be', async () => {
    const grant = await opened('fay')
    const page = { limit: 1, after: `1.${'x'.repeat(5000)}` }
    expect((await store().grants.list({ subject: 'fay' }, page)).grants).toEqual([grant])
  })
})

async function seen(id: string) {
  const found = await store().grants.find(id)
  if (found === undefined) throw new Error('The grant is not there')
  return found
}
