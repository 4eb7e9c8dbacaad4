import dns from 'node:dns'
import net from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { runService } from '../service.ts'
import { App } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { expectInvalidClient, expectPage } from './safe-answers.ts'

/** A client_id that is no address of the public internet is an unknown client, and no document is fetched. */

const SPELLINGS = [
  'https://127.0.0.1/c.json',
  'https://169.254.169.254/c.json',
  'https://[::ffff:10.0.0.1]/c.json',
  'https://0x7f.1/c.json',
  'https://localhost/c.json',
  'https://app.example/c.json',
  'http://app.dev/c.json',
  'https://user@app.dev/c.json',
  'https://ap\tp.dev/c.json',
]

onTheService('a client_id that is an address', (bench) => {
  afterEach(() => void vi.restoreAllMocks())

  it('CM-01, CM-03, CM-04, CM-07, D15, REQ-69: an address as client_id is an unknown client however it is written, and causes no traffic', async () => {
    const app = await App.register(bench)
    const code = await app.code()
    const lookups = vi.spyOn(dns, 'lookup')
    const questions = (['resolve4', 'resolve6'] as const).map((ask) =>
      vi.spyOn(dns.promises.Resolver.prototype, ask),
    )
    const fetches = vi.spyOn(globalThis, 'fetch')
    const connections: unknown[] = []
    const connect = net.Socket.prototype.connect
    vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(function (
      this: net.Socket,
      ...args: unknown[]
    ) {
      connections.push(/"port":(\d+)|^\[(\d+),/.exec(JSON.stringify(args))?.findLast(Boolean) ?? args)
      return Reflect.apply(connect, this, args) as net.Socket
    })
    for (const client_id of SPELLINGS) {
      expectPage(await app.authorize({ client_id }), client_id)
      expectPage(await app.askSignedOut({ client_id }), client_id)
      expectInvalidClient(await app.redeem(code, { client_id }), client_id)
    }
    // Our own requests.
    expect(connections.filter((port) => port !== String(bench.service.port))).toEqual([])
    expect(lookups.mock.calls.filter(([name]) => name !== '127.0.0.1')).toEqual([])
    for (const spy of [...questions, fetches]) expect(spy).not.toHaveBeenCalled()
  })
})

it('CM-07: without documents of clients the metadata does not offer them, and the address of one is an unknown client', async () => {
  const service = await runService({ CIMD: 'off' })
  const get = (path: string) => fetch(service.baseUrl + path, { headers: { connection: 'close' } })
  const metadata = (await get('/.well-known/openid-configuration')).json()
  expect(await metadata).toMatchObject({ client_id_metadata_document_supported: false })
  const page = await get('/oauth/authorize?client_id=https%3A%2F%2Fapp.dev%2Fclient.json')
  expect(page.status).toBe(400)
  await service.close()
})
