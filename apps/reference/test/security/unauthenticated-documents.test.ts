import dns from 'node:dns'
import net from 'node:net'
import { join } from 'node:path'
import v8 from 'node:v8'
import vm from 'node:vm'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { inProcess } from '../in-process.ts'
import { newStorage } from '../new-storage.ts'
import { connected } from '../on-each-database.ts'
import { runService } from '../service.ts'
import { faultyStore } from './faulty-store.ts'

/** Bytes that live after a collection. */
function liveBytes(): number {
  v8.setFlagsFromString('--expose-gc')
  vm.runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const REQUESTS = 4000

it('CM-08: thousands of document URLs of unauthenticated callers cause no packet, no record and no growth', async () => {
  const storage = await newStorage()
  onTestFinished(storage.close)
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(), 'service.sqlite')}`
  const operations = new Set<string>()
  const service = await runService({ ...storage.environment, DATABASE_URL }, (store) =>
    faultyStore(store, () => (operation, done) => {
      operations.add(operation)
      return done()
    }),
  )
  const answer = inProcess(service)
  const ask = (n: number) => {
    const client_id = `https://app${n}.dev/client.json`
    const query = new URLSearchParams({ client_id, response_type: 'code', code_challenge_method: 'S256' })
    return answer(new Request(`${service.baseUrl}/oauth/authorize?${query}`))
  }
  for (let n = 0; n < 1000; n++) await (await ask(-n)).text()
  const before = liveBytes()
  const packets = [
    vi.spyOn(dns, 'lookup'),
    vi.spyOn(dns.promises.Resolver.prototype, 'resolve4'),
    vi.spyOn(dns.promises.Resolver.prototype, 'resolve6'),
    vi.spyOn(globalThis, 'fetch'),
    vi.spyOn(net.Socket.prototype, 'connect'),
  ]
  onTestFinished(() => void vi.restoreAllMocks())
  for (let n = 0; n < REQUESTS; n++) {
    const { status, headers } = await ask(n)
    expect([status, headers.get('location')]).toEqual([303, expect.stringMatching(/^\/login\?/)])
  }
  for (const packet of packets) expect(packet).not.toHaveBeenCalled()
  // The test keeps events; the flight recorder of the service has at most 50 attempts of a network.
  service.events.length = 0
  expect((liveBytes() - before) / REQUESTS, 'bytes kept for each').toBeLessThan(100)
  await service.clients.find('unknown')
  expect([...operations], 'of the store: none but this last one').toEqual(['clients.find'])
  await service.close()
  const trail = (await connected(DATABASE_URL)).selectFrom('audit').select('type').distinct()
  expect(await trail.execute(), 'what the start of the service did').toEqual([{ type: 'account_added' }])
})
