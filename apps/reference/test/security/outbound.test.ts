import dns from 'node:dns'
import net from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runService } from '../service.ts'
import { App } from './app.ts'
import { onTheService } from './on-both-stores.ts'
import { expectInvalidClient, expectPage } from './safe-answers.ts'
import { send } from './wire.ts'

/** A client_id that is no address of the public internet is an unknown client, and no document is fetched. */

const ADDRESSES = [
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[fd00::1]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:7f00:1::]',
  '0.0.0.0',
  '0x7f.1',
  '①②⑦.⓪.⓪.①',
]
const ODD_SPELLINGS = [
  'http://app.example/c.json',
  'https://app.example',
  'https://app.example/',
  'https://app.example/c.json#x',
  'https://user@app.example/c.json',
  'https://app.example:8443/c.json',
  'https://app.example/x/../c.json',
  'https://app.example/%2e%2e/c.json',
  'HTTPS://APP.EXAMPLE/c.json',
  'https://app.dev./c.json',
  'https:/app.dev/c.json',
  'https://ap\tp.dev/c.json',
]
const NAMES = ['100.64.0.1', '2130706433', 'localhost', 'metadata.internal', 'app.example']

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
    const spellings = [...[...ADDRESSES, ...NAMES].map((host) => `https://${host}/c.json`), ...ODD_SPELLINGS]
    for (const client_id of spellings) {
      expectPage(await app.authorize({ client_id }), client_id)
      expectPage(await app.askSignedOut({ client_id }), client_id)
      expectInvalidClient(await app.redeem(code, { client_id }), client_id)
    }
    // Our own requests, and the store.
    const expected = [String(bench.service.port), new URL(bench.storage.environment.STORE_URL).port]
    expect(connections.filter((port) => !expected.includes(String(port)))).toEqual([])
    expect(lookups.mock.calls.filter(([name]) => name !== '127.0.0.1')).toEqual([])
    for (const spy of [...questions, fetches]) expect(spy).not.toHaveBeenCalled()
  })
})

describe('without documents of clients', () => {
  it('CM-07: the metadata does not offer them, and the address of one is an unknown client', async () => {
    const service = await runService({ CIMD: 'off' })
    const get = (path: string) => fetch(service.baseUrl + path, { headers: { connection: 'close' } })
    const metadata = (await get('/.well-known/openid-configuration')).json()
    expect(await metadata).toMatchObject({ client_id_metadata_document_supported: false })
    const page = await get('/oauth/authorize?client_id=https%3A%2F%2Fapp.dev%2Fclient.json')
    expect(page.status).toBe(400)
    await service.close()
  })
})

describe('its own address as client_id', () => {
  it('CM-01: is an unknown client, so that no page makes the server fetch itself', async () => {
    const service = await runService({ BASE_URL: 'https://grantkit.dev' })
    const own = 'https://grantkit.dev/oauth/authorize'
    const ask = (client_id: string) =>
      send(service.port, `/oauth/authorize?${new URLSearchParams({ client_id, response_type: 'code' })}`)
    expectPage(await ask(own))
    expect((await ask(own.replace('grantkit', 'app'))).status, 'of another host').toBe(303)
    await service.close()
  })
})
