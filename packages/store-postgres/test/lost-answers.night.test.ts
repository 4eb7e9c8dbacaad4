import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectToPostgres, createPostgresStore, migrate, type PostgresStore } from '../src/index.ts'

/** A write whose answer is lost or late: only Postgres knows whether it was carried out. */

const soon = () => Math.floor(Date.now() / 1000) + 600
/** Half of it is enough for a second attempt on a busy machine. */
const COMMAND_MS = 800

let server: PostgresServer
let network: TcpProxy
let far: Pool
let near: Pool
let there: PostgresStore
beforeAll(async () => {
  server = await startPostgres('fsync=off')
  network = await startProxy(server.port)
  far = await connectToPostgres(farUrl())
  near = await connectToPostgres(server.url)
  await migrate(near)
  there = await createPostgresStore(near)
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

const farUrl = () => server.url.replace(`${server.port}`, `${network.port}`)

async function opened() {
  const grant = aGrant({ usedAt: 1 })
  await there.grants.insert(grant.id, grant, soon())
  return { grant, seen: await stored(grant.id) }
}

async function stored(id: string) {
  const seen = await there.grants.find(id)
  if (seen === undefined) throw new Error('The grant is not there')
  return seen
}

/** The next answer comes after the time limit of its statement. */
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
  ['is late', late, COMMAND_MS],
  ['is lost with its connection', lost, 10_000],
])('a write whose answer %s', (_, during, commandTimeout) => {
  let here: PostgresStore
  beforeAll(async () => {
    here = await createPostgresStore(far, { commandTimeout, sweeping: false })
  })

  it('is written once, and succeeds', async () => {
    const grant = aGrant({ usedAt: 1 })
    let writing: Promise<boolean> | undefined
    await during(async () => {
      writing = here.grants.insert(grant.id, grant, soon())
      await expect.poll(() => there.grants.find(grant.id), { interval: 5 }).toBeDefined()
    })
    expect(await writing).toBe(true)
    const seen = await stored(grant.id)
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
    const { grant, seen } = await opened()
    const brisk = await createPostgresStore(far, { commandTimeout: 200 })
    network.cut = true
    const calls = [brisk.grants.find(grant.id), brisk.grants.replace(grant.id, seen, grant, soon())]
    const ended = Promise.allSettled(calls).then((settled) => settled.map(({ status }) => status))
    const second = sleep(1000, 'took longer than a second')
    expect(await Promise.race([ended, second])).toEqual(['rejected', 'rejected'])
    network.cut = false
    expect(await brisk.grants.find(grant.id)).toBeDefined()
    brisk.close()
  })

  it('leaves no connection in the pool that waits for an answer', async () => {
    const { single, find } = await singleConnection()
    network.loseReplies = true
    await expect(find()).rejects.toThrow('did not answer')
    network.loseReplies = false
    await expect.poll(() => find().catch(() => 'rejected'), { timeout: 5000 }).toBeUndefined()
    await single.end()
  })

  it('leaves no connection in the pool that was being made', async () => {
    const { single, find } = await singleConnection()
    network.reset()
    await expect.poll(() => single.totalCount).toBe(0)
    // The greeting of the server still comes.
    network.latency = () => {
      network.cut = true
      return 0
    }
    await expect(find()).rejects.toThrow('did not answer')
    network.latency = () => 0
    network.cut = false
    await expect.poll(() => find().catch(() => 'rejected'), { timeout: 5000 }).toBeUndefined()
    await single.end()
  })
})

async function singleConnection() {
  const single = await connectToPostgres(farUrl(), { max: 1 })
  const { clients } = await createPostgresStore(single, { commandTimeout: 300, sweeping: false })
  return { single, find: () => clients.find('anyone') }
}

it('takes an answer that came while the process stood still', async () => {
  const { clients } = await createPostgresStore(near, { commandTimeout: 100, sweeping: false })
  const removed = vi.fn()
  near.on('remove', removed)
  const finding = clients.find('anyone')
  await nextTurn()
  for (const end = performance.now() + 200; performance.now() < end; );
  await finding
  expect(removed).not.toHaveBeenCalled()
})

describe('too many calls', () => {
  it('fail at once instead of waiting', async () => {
    const single = await connectToPostgres(server.url, { max: 1 })
    const { clients, close } = await createPostgresStore(single, { maxWaiting: 20 })
    const calls = await Promise.allSettled(Array.from({ length: 100 }, () => clients.remove('anyone')))
    const refused = calls.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(80)
    expect(refused[0]).toMatchObject({ reason: { message: expect.stringContaining('Too many calls') } })
    close()
    await single.end()
  })
})
