import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { aClient, aGrant, describeStore } from '@grantkit/testkit'
import { createClient } from '@redis/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToRedis, createRedisStore, type RedisConnection, settingsWarnings } from '../src/index.ts'
import { PATIENT, soon } from './patient.ts'

describeStore(
  'redis',
  async () => {
    const server = await startRedis()
    const redis = await connectToRedis(server.url)
    const close = async () => {
      redis.destroy()
      await server.close()
    }
    return { store: createRedisStore(redis, PATIENT), close, restart: () => server.restart() }
  },
  { realTime: true, survivesRestart: true, transients: true, namespaces: true },
)

let server: RedisServer
let redis: RedisConnection
/** A second connection to inspect the server. */
let admin: ReturnType<typeof adminOf>
beforeAll(async () => {
  server = await startRedis()
  redis = await connectToRedis(server.url)
  admin = adminOf(server.url)
  await admin.connect()
})
afterAll(async () => {
  redis.destroy()
  admin.destroy()
  await server.close()
})

function adminOf(url: string) {
  return createClient({ url }).on('error', () => {})
}

describe('the store in Redis', () => {
  it('is one store for two processes', async () => {
    const other = await connectToRedis(server.url)
    const [here, there] = [createRedisStore(redis, PATIENT), createRedisStore(other, PATIENT)]
    const grant = aGrant({ id: 'shared', subject: 'two processes' })
    expect(await here.grants.insert(grant.id, grant, soon())).toBe(true)
    const seen = await there.grants.find(grant.id)
    if (seen === undefined) throw new Error('The other process does not see the grant')
    const races = [here, there].map((store) =>
      store.grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon()),
    )
    expect((await Promise.all(races)).sort()).toEqual([false, true])
    other.destroy()
  })

  it('runs its scripts on a server that has forgotten them', async () => {
    const store = createRedisStore(redis, PATIENT)
    for (const id of ['first', 'second']) {
      await admin.scriptFlush()
      expect(await store.clients.insert(id, aClient({ clientId: id }), soon())).toBe(true)
      const seen = await store.clients.find(id)
      if (seen === undefined) throw new Error('The client is gone')
      await admin.scriptFlush()
      expect(await store.clients.replace(id, seen, seen.value, soon())).toBe(true)
    }
  })

  it('leaves no key without an end', async () => {
    const store = createRedisStore(redis, { ...PATIENT, keyPrefix: 'abandoned:' })
    const grant = aGrant({ id: 'abandoned', subject: 'abandoned' })
    await store.grants.insert(grant.id, grant, soon())
    await store.clients.insert('abandoned', aClient(), soon())
    const keys = await admin.keys('abandoned:*')
    expect(keys).toHaveLength(4)
    for (const key of keys) expect(await admin.ttl(key), key).toBeGreaterThan(0)
  })

  it('forgets grants that were never redeemed, in the list of their subject too', async () => {
    const store = createRedisStore(redis, { ...PATIENT, keyPrefix: 'often:' })
    for (let attempt = 0; attempt < 600; attempt++) {
      const grant = aGrant({ subject: 'often' })
      await store.grants.insert(grant.id, grant, soon())
      await store.grants.remove(grant.id)
    }
    const lists = await admin.keys('often:*')
    expect(lists).toHaveLength(2)
    for (const list of lists) expect(await admin.zCard(list)).toBeLessThanOrEqual(256)
  })

  it('scans its own keys alone, whatever its prefix looks like', async () => {
    const namesOf = async (keyPrefix: string) => {
      const names = []
      for await (const { clientName } of createRedisStore(redis, { ...PATIENT, keyPrefix }).clients.scan())
        names.push(clientName)
      return names
    }
    for (const keyPrefix of ['[a]*:', 'a-other:', 'a:']) {
      const store = createRedisStore(redis, { ...PATIENT, keyPrefix })
      await store.clients.insert('one', aClient({ clientName: keyPrefix }), soon())
    }
    expect(await namesOf('[a]*:')).toEqual(['[a]*:'])
    expect(await namesOf('a:')).toEqual(['a:'])
  })

  it('sends one command for a bearer check, and two in turn for a change', async () => {
    const store = createRedisStore(redis, PATIENT)
    const grant = aGrant()
    await store.grants.insert(grant.id, grant, soon())
    const counted = async (work: () => Promise<unknown>) => {
      await admin.configResetStat()
      await work()
      return (await admin.info('commandstats'))
        .split('\n')
        .map((line) => /^cmdstat_(get|evalsha|zadd|set):calls=(\d+)/.exec(line)?.slice(1).join(' '))
        .filter((line) => line !== undefined)
        .sort()
    }
    expect(await counted(() => store.grants.find(grant.id))).toEqual(['get 1'])
    const change = async () => {
      const seen = await store.grants.find(grant.id)
      if (seen) await store.grants.replace(grant.id, seen, grant, soon())
    }
    // The script itself is counted, and also its commands.
    expect(await counted(change)).toEqual(['evalsha 1', 'get 1', 'set 1'])
  })
})

// Each test waits for the connection timeout.
describe('connectToRedis', { concurrent: true }, () => {
  it('fails at once when no server answers', async () => {
    const lost = await startRedis()
    await lost.close()
    await expect(connectToRedis(lost.url)).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/)
  })

  it('says that a password is wrong, and does not repeat it', async () => {
    const guarded = await startRedis('--requirepass', 'right')
    const url = guarded.url.replace('//', '//:mistaken@')
    const refused = await connectToRedis(url).catch((error: Error) => error.message)
    expect(refused).toMatch(/WRONGPASS/)
    expect(refused).not.toContain('mistaken')
    ;(await connectToRedis(guarded.url.replace('//', '//:right@'))).destroy()
    await guarded.close()
  })
})

describe('settingsWarnings', () => {
  it('has no warning for a durable server', async () => {
    expect(await settingsWarnings(redis)).toEqual([])
  })

  it('warns of what loses records', async () => {
    const careless = await startRedis('--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no')
    const connection = await connectToRedis(careless.url)
    expect(await settingsWarnings(connection)).toEqual([
      expect.stringContaining('allkeys-lru'),
      expect.stringContaining('nothing is persisted'),
    ])
    connection.destroy()
    await careless.close()
  })

  it('says so when the settings may not be read', async () => {
    const hosted = await startRedis('--rename-command', 'CONFIG', '')
    const connection = await connectToRedis(hosted.url)
    expect(await settingsWarnings(connection)).toEqual([expect.stringContaining('cannot be read')])
    connection.destroy()
    await hosted.close()
  })
})
