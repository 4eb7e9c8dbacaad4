import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { LIMIT_MS, LOSSES } from '@grantkit/test-servers/lost-answers'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectToPostgres, createPostgresStore, migrate, type PostgresStore } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './patient.ts'

/** A write whose answer is lost or late: only Postgres knows whether it was carried out. */

let server: PostgresServer
let network: TcpProxy
let far: Pool
let near: Pool
let there: PostgresStore
beforeAll(async () => {
  server = await startPostgres('fsync=off')
  network = await startProxy(server.port)
  far = poolOf(farUrl())
  near = poolOf(server.url)
  await migrate(near)
  there = await createPostgresStore(near, PATIENT)
})
afterEach(() => {
  Object.assign(network, { loseReplies: false, cut: false, latency: () => 0 })
  vi.useRealTimers()
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

/** Waits until a grant is there with that time of its last use. */
const isUsedAt = (id: string, usedAt: number) =>
  expect.poll(() => there.grants.find(id), { interval: 5 }).toMatchObject({ value: { usedAt } })

describe.each(LOSSES)('a write whose answer %s', (_, during) => {
  let here: PostgresStore
  beforeAll(async () => {
    here = await createPostgresStore(far, { ...PATIENT, commandTimeout: LIMIT_MS })
  })

  it('is written once, and succeeds', async () => {
    const grant = aGrant({ usedAt: 1 })
    const inserting = () => here.grants.insert(grant.id, grant, soon())
    expect(await during(network, inserting, () => isUsedAt(grant.id, 1))).toBe(true)
    const seen = await stored(grant.id)
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

  it('removes, and says so', async () => {
    const { grant } = await opened()
    const isGone = () => expect.poll(() => there.grants.find(grant.id), { interval: 5 }).toBeUndefined()
    expect(await during(network, () => here.grants.remove(grant.id), isGone)).toBe(true)
  })
})

describe('a network that is cut', () => {
  it('fails a call before it is back, and then serves the next one', async () => {
    const { grant, seen } = await opened()
    const brisk = await createPostgresStore(far, { commandTimeout: 200, sweeping: false })
    network.cut = true
    const calls = [brisk.grants.find(grant.id), brisk.grants.replace(grant.id, seen, grant, soon())]
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected')
    network.cut = false
    await expect.poll(() => brisk.grants.find(grant.id).catch(() => undefined)).toBeDefined()
  })

  it('leaves no connection in the pool that waits for an answer', async () => {
    const { find } = await singleConnection()
    network.loseReplies = true
    await expect(find()).rejects.toThrow('did not answer')
    network.loseReplies = false
    await expect.poll(() => find().catch(() => 'rejected')).toBeUndefined()
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
    await expect.poll(() => find().catch(() => 'rejected')).toBeUndefined()
  })
})

async function singleConnection() {
  const single = await connectToPostgres(farUrl(), { max: 1 })
  onTestFinished(() => single.end())
  const { clients } = await createPostgresStore(single, { commandTimeout: 300, sweeping: false })
  return { single, find: () => clients.find('anyone') }
}

it('takes an answer that came while the process stood still', async () => {
  const { clients } = await createPostgresStore(far, PATIENT)
  const removed = vi.fn()
  far.on('remove', removed)
  // The one connection that this statement gets is read no more.
  let resume = () => {}
  far.once('acquire', ({ connection }: { connection?: { stream: Socket } }) => {
    connection?.stream.pause()
    resume = () => connection?.stream.resume()
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const finding = clients.find('anyone')
  await nextTurn()
  const answered = `SELECT FROM pg_stat_activity WHERE query LIKE '%grantkit_client%' AND state = 'idle'`
  await expect.poll(async () => (await near.query(answered)).rowCount).toBe(1)
  // As after such a time, timers come first, then what has arrived, and then immediates.
  await sleep(1)
  resume()
  vi.advanceTimersByTime(PATIENT.commandTimeout)
  expect(await finding).toBeUndefined()
  expect(removed).not.toHaveBeenCalled()
})

describe('too many calls', () => {
  it('fail at once instead of waiting', async () => {
    const single = poolOf(server.url, { max: 1 })
    const { clients } = await createPostgresStore(single, { ...PATIENT, maxWaiting: 20 })
    const calls = await Promise.allSettled(Array.from({ length: 100 }, () => clients.remove('anyone')))
    const refused = calls.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(80)
    expect(refused[0]).toMatchObject({ reason: { message: expect.stringContaining('Too many calls') } })
    await single.end()
  })
})
