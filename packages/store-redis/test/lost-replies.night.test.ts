import { LIMIT_MS, LOSSES } from '@grantkit/test-servers/lost-answers'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToRedis, createRedisStore, type RedisConnection } from '../src/index.ts'
import { PATIENT, soon } from './patient.ts'

/** A write whose reply is lost or late: only Redis knows whether it was carried out. */

let server: RedisServer
let network: TcpProxy
let far: RedisConnection
let near: RedisConnection
beforeAll(async () => {
  server = await startRedis()
  network = await startProxy(server.port)
  far = await connectToRedis(network.url)
  near = await connectToRedis(server.url)
  // A server that does not know a script says so first, and that reply would be the one that is lost.
  await createRedisStore(near, PATIENT).grants.insert('any', aGrant(), soon())
})
afterAll(async () => {
  far.destroy()
  near.destroy()
  await network.close()
  await server.close()
})

const stores = () => ({
  here: createRedisStore(far, { commandTimeout: LIMIT_MS }).grants,
  there: createRedisStore(near, PATIENT).grants,
})

async function stored(id: string) {
  const seen = await stores().there.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

/** Waits until a grant is there with that time of its last use. */
const isUsedAt = (id: string, usedAt: number) =>
  expect.poll(() => stores().there.find(id), { interval: 5 }).toMatchObject({ value: { usedAt } })

/** Waits for the client: without a connection a command fails at once, and the second attempt too. */
const back = () => expect.poll(() => far.get('any').catch(String), { interval: 5 }).toBeNull()

describe.each(LOSSES)('a write whose reply %s', (_, during) => {
  it('is written once, and succeeds', async () => {
    const { here } = stores()
    const grant = aGrant({ subject: undefined, usedAt: 1 })
    const inserting = () => here.insert(grant.id, grant, soon())
    expect(await during(network, inserting, () => isUsedAt(grant.id, 1), back)).toBe(true)
  })

  it('is no lost race when another write has followed it', async () => {
    const { here, there } = stores()
    const grant = aGrant({ usedAt: 1 })
    await there.insert(grant.id, grant, soon())
    const seen = await stored(grant.id)
    const replacing = () => here.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon())
    const followed = async () => {
      await isUsedAt(grant.id, 2)
      await there.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 3 }, soon())
    }
    await expect(during(network, replacing, followed, back)).rejects.toThrow()
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 3 } })
  })

  it('is no double when its new record has been changed', async () => {
    const { here, there } = stores()
    const grant = aGrant({ subject: undefined, usedAt: 1 })
    const inserting = () => here.insert(grant.id, grant, soon())
    const followed = async () => {
      await isUsedAt(grant.id, 1)
      await there.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 2 }, soon())
    }
    await expect(during(network, inserting, followed, back)).rejects.toThrow()
  })
})
