import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectToRedis, createRedisStore, type RedisConnection } from '../src/index.ts'

/** A write whose reply is lost or late: only Redis knows whether it was carried out. */

const soon = () => Math.floor(Date.now() / 1000) + 600
const COMMAND_MS = 600

let server: RedisServer
let network: TcpProxy
let far: RedisConnection
let near: RedisConnection
beforeAll(async () => {
  server = await startRedis()
  network = await startProxy(server.port)
  far = await connectToRedis(network.url)
  near = await connectToRedis(server.url)
})
beforeEach(() => {
  network.loseReplies = false
  network.latency = () => 0
})
afterAll(async () => {
  far.destroy()
  near.destroy()
  await network.close()
  await server.close()
})

const stores = () => ({
  here: createRedisStore(far, { commandTimeout: COMMAND_MS }).grants,
  there: createRedisStore(near).grants,
})

async function stored(id: string) {
  const seen = await stores().there.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

/** The next reply comes after the time limit of its command, and before the time limit of the second attempt. */
async function late(written: () => Promise<void>): Promise<void> {
  const delays = [COMMAND_MS + 150]
  network.latency = () => delays.shift() ?? 0
  await written()
}

async function lost(written: () => Promise<void>): Promise<void> {
  network.loseReplies = true
  await written()
  network.reset()
  network.loseReplies = false
}

describe.each([
  ['is late', late],
  ['is lost with its connection', lost],
])('a write whose reply %s', (_, during) => {
  it('is written once, and succeeds', async () => {
    const { here, there } = stores()
    const grant = aGrant({ subject: undefined })
    let inserting: Promise<boolean> | undefined
    await during(async () => {
      inserting = here.insert(grant.id, grant, soon())
      await expect.poll(() => there.find(grant.id), { interval: 5 }).toBeDefined()
    })
    expect(await inserting).toBe(true)
  })

  it('is no lost race when another write has followed it', async () => {
    const { here, there } = stores()
    const grant = aGrant({ usedAt: 1 })
    await there.insert(grant.id, grant, soon())
    const seen = await here.find(grant.id)
    if (seen === undefined) throw new Error('The grant is not there')
    let replacing: Promise<unknown> | undefined
    await during(async () => {
      replacing = here.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon()).catch((error) => error)
      await expect.poll(() => there.find(grant.id), { interval: 5 }).toMatchObject({ value: { usedAt: 2 } })
      await there.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 3 }, soon())
    })
    expect(await replacing).toBeInstanceOf(Error)
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 3 } })
  })

  it('is no double when its new record has been changed', async () => {
    const { here, there } = stores()
    const grant = aGrant({ subject: undefined, usedAt: 1 })
    let inserting: Promise<unknown> | undefined
    await during(async () => {
      inserting = here.insert(grant.id, grant, soon()).catch((error) => error)
      await expect.poll(() => there.find(grant.id), { interval: 5 }).toBeDefined()
      await there.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 2 }, soon())
    })
    expect(await inserting).toBeInstanceOf(Error)
  })
})
