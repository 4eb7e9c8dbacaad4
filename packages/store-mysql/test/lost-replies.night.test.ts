import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMysqlStore, type MysqlStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

/** A write whose reply is lost or late: only MySQL knows whether it was carried out. */

/** Half of it is enough for a second attempt on a busy machine. */
const COMMAND_MS = 800

let server: MariaDbServer
let network: TcpProxy
let far: Pool
let near: Pool
let there: MysqlStore
beforeAll(async () => {
  server = await startMariaDb('--innodb-flush-log-at-trx-commit=0')
  network = await startProxy(server.port)
  far = farPool()
  near = poolOf(server)
  await migrate(near)
  there = await createMysqlStore(near, PATIENT)
})
beforeEach(() => {
  network.loseReplies = false
  network.cut = false
  network.latency = () => 0
})
afterAll(async () => {
  await far.end()
  await near.end()
  await network.close()
  await server.close()
})

function farPool(): Pool {
  return poolOf({ url: server.url.replace(`${server.port}`, `${network.port}`) })
}

/** The next reply comes after the time limit of its statement. */
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

async function stored(id: string) {
  const seen = await there.grants.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

describe.each([
  ['is late', late, COMMAND_MS],
  ['is lost with its connection', lost, 10_000],
])('a write whose reply %s', (_, during, commandTimeout) => {
  let here: MysqlStore
  beforeAll(async () => {
    here = await createMysqlStore(far, { commandTimeout, sweeping: false })
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
    const copy = aGrant()
    let writing: Promise<boolean> | undefined
    await during(async () => {
      writing = here.grants.insert(copy.id, copy, soon())
      await expect.poll(() => there.grants.find(copy.id), { interval: 5 }).toBeDefined()
    })
    expect(await writing).toBe(true)
    await opened()
    await during(async () => {
      writing = here.grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon())
      await expect.poll(() => stored(grant.id), { interval: 5 }).toMatchObject({ value: { usedAt: 2 } })
    })
    expect(await writing).toBe(true)
  })

  it('is no lost race when another write has followed it', async () => {
    const { grant, seen } = await opened()
    let replacing: Promise<unknown> | undefined
    await during(async () => {
      replacing = here.grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon()).catch((error) => error)
      await expect.poll(() => stored(grant.id), { interval: 5 }).toMatchObject({ value: { usedAt: 2 } })
      await there.grants.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 3 }, soon())
    })
    expect(await replacing).toMatchObject({ name: 'UnknownOutcomeError' })
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 3 } })
  })

  it('is no refused insert when another write has followed it', async () => {
    await opened()
    const grant = aGrant({ usedAt: 1 })
    let inserting: Promise<unknown> | undefined
    await during(async () => {
      inserting = here.grants.insert(grant.id, grant, soon()).catch((error) => error)
      await expect.poll(() => there.grants.find(grant.id), { interval: 5 }).toBeDefined()
      await there.grants.replace(grant.id, await stored(grant.id), { ...grant, usedAt: 2 }, soon())
    })
    expect(await inserting).toMatchObject({ name: 'UnknownOutcomeError' })
    expect(await stored(grant.id)).toMatchObject({ value: { usedAt: 2 } })
  })

  it('removes, and says so', async () => {
    const { grant } = await opened()
    let removing: Promise<boolean> | undefined
    await during(async () => {
      removing = here.grants.remove(grant.id)
      await expect.poll(() => there.grants.find(grant.id), { interval: 5 }).toBeUndefined()
    })
    expect(await removing).toBe(true)
  })
})

describe('a network that is cut', () => {
  it('fails a call after little more than its time limit, and serves the next one when it is back', async () => {
    const grant = aGrant()
    await there.grants.insert(grant.id, grant, soon())
    const brisk = await createMysqlStore(far, { commandTimeout: 200, sweeping: false })
    network.cut = true
    const calls = [brisk.grants.find(grant.id), brisk.grants.remove(grant.id)]
    const ended = Promise.allSettled(calls).then((settled) => settled.map(({ status }) => status))
    const second = sleep(1000, 'took longer than a second')
    expect(await Promise.race([ended, second])).toEqual(['rejected', 'rejected'])
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
    server.freeze()
    await expect(clients.find('anyone')).rejects.toThrow('did not answer')
    const [socket] = sockets
    await expect.poll(() => socket?.destroyed, { timeout: 5000 }).toBe(true)
    server.thaw()
    await expect.poll(() => clients.find('anyone').catch(() => 'rejected'), { timeout: 5000 }).toBeUndefined()
    await single.end()
  })
})

function never(): never {
  throw new Error('mysql2 has no stream')
}
