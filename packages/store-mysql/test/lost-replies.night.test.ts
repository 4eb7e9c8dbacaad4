import type { Socket } from 'node:net'
import { LIMIT_MS, LOSSES } from '@grantkit/test-servers/lost-answers'
import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createMysqlStore, type MysqlStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

/** A write whose reply is lost or late: only MySQL knows whether it was carried out. */

let server: MariaDbServer
let network: TcpProxy
let far: Pool
let near: Pool
let there: MysqlStore
beforeAll(async () => {
  server = await startMariaDb('--innodb-flush-log-at-trx-commit=0')
  network = await startProxy(server.port)
  far = poolOf({ url: server.url.replace(`${server.port}`, `${network.port}`) })
  near = poolOf(server)
  await migrate(near)
  there = await createMysqlStore(near, PATIENT)
})
afterAll(async () => {
  await server.close()
  await network.close()
  await Promise.all([far.end(), near.end()])
})

async function stored(id: string) {
  const seen = await there.grants.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

/** Waits until a grant is there with that time of its last use. */
const isUsedAt = (id: string, usedAt: number) =>
  expect.poll(() => there.grants.find(id), { interval: 5 }).toMatchObject({ value: { usedAt } })

describe.each(LOSSES)('a write whose reply %s', (_, during) => {
  let here: MysqlStore
  beforeAll(async () => {
    here = await createMysqlStore(far, { ...PATIENT, commandTimeout: LIMIT_MS })
  })

  /** A grant that has taken every statement once, so that the connection has prepared them. */
  async function opened() {
    for (const grant of [aGrant(), aGrant({ usedAt: 1 })]) {
      await here.grants.insert(grant.id, grant, soon())
      await here.grants.replace(grant.id, await stored(grant.id), grant, soon())
      const seen = await stored(grant.id)
      if (grant.usedAt === 1) return { grant, seen }
      await here.grants.remove(grant.id)
    }
    throw new Error('There is no second grant')
  }

  it('is written once, and succeeds', async () => {
    const { grant, seen } = await opened()
    const copy = aGrant({ usedAt: 1 })
    const inserting = () => here.grants.insert(copy.id, copy, soon())
    expect(await during(network, inserting, () => isUsedAt(copy.id, 1))).toBe(true)
    await opened()
    const replacing = () => here.grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon())
    expect(await during(network, replacing, () => isUsedAt(grant.id, 2))).toBe(true)
  })

  it('is no lost race when another write has followed it', async () => {
    const { grant, seen } = await opened()
    const replacing = () => here.grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon())
    const followed = async () => {
      await isUsedAt(grant.id, 2)
      await there.grants.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 3 }, soon())
    }
    await expect(during(network, replacing, followed)).rejects.toMatchObject({ name: 'UnknownOutcomeError' })
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 3 } })
  })

  it('is no refused insert when another write has followed it', async () => {
    await opened()
    const grant = aGrant({ usedAt: 1 })
    const inserting = () => here.grants.insert(grant.id, grant, soon())
    const followed = async () => {
      await isUsedAt(grant.id, 1)
      await there.grants.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 2 }, soon())
    }
    await expect(during(network, inserting, followed)).rejects.toMatchObject({ name: 'UnknownOutcomeError' })
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 2 } })
  })

  it('removes, and says so', async () => {
    const { grant } = await opened()
    const isGone = () => expect.poll(() => there.grants.find(grant.id), { interval: 5 }).toBeUndefined()
    expect(await during(network, () => here.grants.remove(grant.id), isGone)).toBe(true)
  })
})

describe('a network that is cut', () => {
  it('fails a call before it is back, and then serves the next one', async () => {
    const grant = aGrant()
    await there.grants.insert(grant.id, grant, soon())
    const brisk = await createMysqlStore(far, { commandTimeout: 200, sweeping: false })
    onTestFinished(() => {
      network.cut = false
    })
    network.cut = true
    const calls = [brisk.grants.find(grant.id), brisk.grants.remove(grant.id)]
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected')
    network.cut = false
    await expect.poll(() => brisk.grants.find(grant.id).catch(() => undefined)).toBeDefined()
  })
})

describe('a server that stands still', () => {
  it('leaves no connection that waits for its reply', async () => {
    const single = poolOf(server, { connectionLimit: 1 })
    const sockets: Socket[] = []
    single.on(
      'connection',
      (connection) => void sockets.push((connection as { stream?: Socket }).stream ?? never()),
    )
    const { clients } = await createMysqlStore(single, { commandTimeout: 300, sweeping: false })
    onTestFinished(() => single.end())
    onTestFinished(() => server.thaw())
    await server.freeze()
    await expect(clients.find('anyone')).rejects.toThrow('did not answer')
    const [socket] = sockets
    await expect.poll(() => socket?.destroyed).toBe(true)
    server.thaw()
    await expect.poll(() => clients.find('anyone').catch(() => 'rejected')).toBeUndefined()
  })
})

function never(): never {
  throw new Error('mysql2 has no stream')
}
