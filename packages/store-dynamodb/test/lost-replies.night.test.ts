import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { UnknownOutcomeError } from '@grantkit/core/store-kit'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import type { DynamoServer } from '@grantkit/test-servers/dynamodb-local'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CLIENT_SETTINGS, createDynamoStore } from '../src/index.ts'
import { LOCAL, newTable, PATIENCE, type TableUnderTest } from './table-under-test.ts'

/** A write whose answer is lost: the client of the SDK sends it again, and only DynamoDB knows whether it was carried out. */

const soon = () => Math.floor(Date.now() / 1000) + 600

let server: DynamoServer
let near: TableUnderTest
let network: TcpProxy
let far: DynamoDBClient
beforeAll(async () => {
  server = await startDynalite()
  near = await newTable(server)
  network = await startProxy(server.port)
  far = clientWith({})
})
afterEach(() => {
  network.loseReplies = false
  network.cut = false
})
afterAll(async () => {
  far.destroy()
  await network.close()
  await near.close()
})

/** Attempts end when the connection does: the tests say when that is. */
const UNHURRIED = { ...CLIENT_SETTINGS.requestHandler, requestTimeout: 30_000 }

function clientWith(settings: object): DynamoDBClient {
  const endpoint = `http://127.0.0.1:${network.port}`
  return new DynamoDBClient({
    ...CLIENT_SETTINGS,
    ...LOCAL,
    endpoint,
    requestHandler: UNHURRIED,
    ...settings,
  })
}

const here = () => createDynamoStore(far, { table: near.table, ...PATIENCE })
const there = () => createDynamoStore(near.client, { table: near.table, ...PATIENCE })

async function stored(id: string) {
  const seen = await there().grants.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

/** Loses the answer to a write that has begun, and the connection; `written` waits until it was carried out. */
async function lost(written: () => Promise<unknown>): Promise<void> {
  network.loseReplies = true
  await written()
  network.loseReplies = false
  network.reset()
}

describe('a write whose answer is lost', () => {
  it('is written once by the second attempt, and succeeds, as an insert', async () => {
    const grant = aGrant({ subject: undefined })
    let inserting: Promise<boolean> | undefined
    await lost(async () => {
      inserting = here().grants.insert(grant.id, grant, soon())
      await expect.poll(() => there().grants.find(grant.id), { interval: 5 }).toBeDefined()
    })
    expect(await inserting).toBe(true)
  })

  it('is written once by the second attempt, and succeeds, as a replacement', async () => {
    const grant = aGrant({ subject: undefined, usedAt: 1 })
    await there().grants.insert(grant.id, grant, soon())
    const seen = await stored(grant.id)
    let replacing: Promise<boolean> | undefined
    await lost(async () => {
      replacing = here().grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon())
      await expect.poll(() => stored(grant.id), { interval: 5 }).toMatchObject({ value: { usedAt: 2 } })
    })
    expect(await replacing).toBe(true)
  })

  it('has an unknown outcome, and is no lost race, when another write has followed it', async () => {
    const grant = aGrant({ subject: undefined, usedAt: 1 })
    await there().grants.insert(grant.id, grant, soon())
    const seen = await stored(grant.id)
    let replacing: Promise<unknown> | undefined
    await lost(async () => {
      replacing = here()
        .grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon())
        .catch((error) => error)
      await expect.poll(() => stored(grant.id), { interval: 5 }).toMatchObject({ value: { usedAt: 2 } })
      await there().grants.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 3 }, soon())
    })
    expect(await replacing).toBeInstanceOf(UnknownOutcomeError)
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 3 } })
  })

  it('has an unknown outcome, and is no double, when its new record was removed', async () => {
    const grant = aGrant({ subject: undefined })
    await there().grants.insert(grant.id, grant, soon())
    const seen = await stored(grant.id)
    let replacing: Promise<unknown> | undefined
    await lost(async () => {
      replacing = here()
        .grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon())
        .catch((error) => error)
      await expect.poll(() => stored(grant.id), { interval: 5 }).toMatchObject({ value: { usedAt: 2 } })
      await there().grants.remove(grant.id)
    })
    expect(await replacing).toBeInstanceOf(UnknownOutcomeError)
  })

  it('counts as carried out when it is a removal', async () => {
    const grant = aGrant({ subject: undefined })
    await there().grants.insert(grant.id, grant, soon())
    let removing: Promise<boolean> | undefined
    await lost(async () => {
      removing = here().grants.remove(grant.id)
      await expect.poll(() => there().grants.find(grant.id), { interval: 5 }).toBeUndefined()
    })
    expect(await removing).toBe(true)
  })
})

describe('a server that does not answer', () => {
  it('is given up by the client after two attempts, long before the store does', async () => {
    const impatient = clientWith({ requestHandler: CLIENT_SETTINGS.requestHandler })
    onTestFinished(() => impatient.destroy())
    const { grants } = createDynamoStore(impatient, { table: near.table, ...PATIENCE })
    network.cut = true
    await expect(grants.find('any')).rejects.toMatchObject({
      name: 'TimeoutError',
      $metadata: { attempts: 2 },
    })
  })

  it('is given up by the store when the client has no time limit', async () => {
    const { grants } = createDynamoStore(far, { table: near.table, commandTimeout: 100 })
    network.cut = true
    onTestFinished(() => network.reset())
    await expect(grants.find('any')).rejects.toThrow('DynamoDB did not answer within 100 ms')
  })
})
