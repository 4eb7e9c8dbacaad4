import { aClient, aGrant, describeStore } from '@grantkit/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToRedis, createRedisStore, settingsWarnings } from '../src/index.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

describeStore(
  'redis',
  async () => {
    const server = await startRedis()
    const client = await connectToRedis(server.url)
    const close = async () => {
      client.destroy()
      await server.close()
    }
    return { store: createRedisStore(client), close }
  },
  { realTime: true },
)

let server: RedisServer
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.close())

const soon = () => Math.floor(Date.now() / 1000) + 60

async function openStore() {
  const client = await connectToRedis(server.url)
  return { client, store: createRedisStore(client) }
}

describe('the store in Redis', () => {
  it('is one store for two processes', async () => {
    const [here, there] = [await openStore(), await openStore()]
    const grant = aGrant({ id: 'shared', subject: 'two processes' })
    expect(await here.store.grants.insert(grant.id, grant, soon())).toBe(true)
    const seen = await there.store.grants.find(grant.id)
    if (seen === undefined) throw new Error('The other process does not see the grant')
    const races = [here, there].map(({ store }) =>
      store.grants.replace(grant.id, seen, { ...grant, usedAt: 2 }, soon()),
    )
    expect((await Promise.all(races)).sort()).toEqual([false, true])
    for (const { client } of [here, there]) client.destroy()
  })

  it('keeps what it acknowledged over a crash, and connects again by itself', async () => {
    const { client, store } = await openStore()
    await store.clients.insert('kept', aClient({ clientId: 'kept' }), soon())
    await server.restart()
    await expect
      .poll(() => store.clients.find('kept').catch(() => undefined), { timeout: 10_000 })
      .toMatchObject({ value: { clientId: 'kept' } })
    client.destroy()
  })

  it('fails at once while the server is gone, and does nothing later', async () => {
    const lost = await startRedis()
    const client = await connectToRedis(lost.url)
    const store = createRedisStore(client)
    await lost.close()
    await expect(store.clients.insert('late', aClient(), soon())).rejects.toThrow()
    await expect(store.clients.find('late')).rejects.toThrow()
    client.destroy()
  })

  it('runs its scripts on a server that has forgotten them', async () => {
    const { client, store } = await openStore()
    await store.clients.insert('script', aClient({ clientId: 'script' }), soon())
    for (const createdAt of [1, 2]) {
      await client.scriptFlush()
      const seen = await store.clients.find('script')
      if (seen === undefined) throw new Error('The client is gone')
      expect(await store.clients.replace('script', seen, { ...seen.value, createdAt }, soon())).toBe(true)
    }
    client.destroy()
  })

  it('leaves no key without an end', async () => {
    const { client, store } = await openStore()
    const grant = aGrant({ id: 'abandoned', subject: 'abandoned' })
    await store.grants.insert(grant.id, grant, soon())
    await store.clients.insert('abandoned', aClient(), soon())
    const keys = await client.keys('grantkit:*')
    expect(keys.length).toBeGreaterThan(2)
    for (const key of keys) expect(await client.ttl(key), key).toBeGreaterThan(0)
    client.destroy()
  })

  it('reads a record with members that it does not know, and refuses a format of the future', async () => {
    const { client, store } = await openStore()
    const version = 'v'.repeat(22)
    const write = (id: string, content: object) =>
      client.set(`grantkit:client:${id}`, version + JSON.stringify(content))
    await write('newer', { schema: 1, value: { ...aClient(), colour: 'blue' } })
    await write('future', { schema: 99, value: {} })
    expect((await store.clients.find('newer'))?.value).toMatchObject({ colour: 'blue' })
    await expect(store.clients.find('future')).rejects.toThrow('newer release')
    await client.del(['grantkit:client:newer', 'grantkit:client:future'])
    client.destroy()
  })
})

describe('settingsWarnings', () => {
  it('has nothing to say of a server that keeps everything', async () => {
    const client = await connectToRedis(server.url)
    expect(await settingsWarnings(client)).toEqual([])
    client.destroy()
  })

  it('warns of what loses records', async () => {
    const careless = await startRedis('--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no')
    const client = await connectToRedis(careless.url)
    expect(await settingsWarnings(client)).toEqual([
      expect.stringContaining('allkeys-lru'),
      expect.stringContaining('nothing is persisted'),
    ])
    client.destroy()
    await careless.close()
  })
})
