/** The fetch in Cloudflare Workers, in their runtime. Every name leads to one host, for the platform makes the connections. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { StartedProgram } from '@grantkit/test-servers/started-program'
import { startWorker } from '@grantkit/test-servers/workerd'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ENTRY = join(import.meta.dirname, 'worker/fetches.ts')
const LIMIT = 5120

/** What the host answers, by path. */
const ANSWERS: Readonly<Record<string, RequestListener>> = {
  '/headers': ({ headers }, response) => response.end(JSON.stringify(headers)),
  '/posted': async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()))
    response.writeHead(202, { 'x-received': `${request.method} ${body}` }).end('x'.repeat(100_000))
  },
  '/cookie': (_, response) => response.setHeader('set-cookie', 'id=1; Path=/; Secure').end('{}'),
  '/moved': (_, response) => response.writeHead(302, { location: 'https://app.dev/headers' }).end('moved'),
  '/full': (_, response) => response.end('x'.repeat(LIMIT)),
  '/announced': (_, response) => response.end('x'.repeat(LIMIT + 1)),
  '/large': (_, response) => {
    response.write('x'.repeat(LIMIT))
    response.end('y')
  },
  '/compressed': (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('{}')),
  '/latin1': (_, response) => response.end(Buffer.from('é', 'latin1')),
  '/silent': () => {},
  '/stalled': (_, response) => void response.write('{'),
  '/broken': ({ socket }) => socket.resetAndDestroy(),
}

let host: Server
let seen: string[] = []
let worker: StartedProgram
beforeAll(async () => {
  host = createServer((request, response) => {
    seen.push(request.url ?? '')
    ANSWERS[request.url ?? '']?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo
  const outbound = `external = (address = "127.0.0.1:${port}", http = ())`
  worker = await startWorker(ENTRY, { compatibilityFlags: ['global_fetch_strictly_public'], outbound })
})
afterAll(async () => {
  await worker?.close()
  host.closeAllConnections()
  host.close()
})

async function fetched(url: string, options: object = {}, at = worker, posted?: string) {
  const body = JSON.stringify({ url, options, posted })
  return (await (await fetch(at.url, { method: 'POST', body })).json()) as Record<string, string>
}

describe('in a Worker, a post', () => {
  it('sends its body, and takes status and headers of the answer', async () => {
    const { status, headers } = await fetched('https://app.dev/posted', {}, worker, 'hello')
    expect({ status, headers }).toMatchObject({ status: 202, headers: { 'x-received': 'POST hello' } })
  })

  it('follows no redirect', async () => {
    seen = []
    expect(await fetched('https://app.dev/moved', {}, worker, 'hello')).toMatchObject({ status: 302 })
    expect(seen).toEqual(['/moved'])
  })

  it.each(['http://app.dev/posted', 'https://127.0.0.1/posted', 'https://printer.local/posted'])(
    'sends no packet to %s',
    async (url) => {
      seen = []
      expect(await fetched(url, {}, worker, 'hello')).toMatchObject({ code: 'address' })
      expect(seen).toEqual([])
    },
  )
})

describe('in a Worker, a document fetch', () => {
  it('names the server, and nothing about the user', async () => {
    const { status, body = '' } = await fetched('https://app.dev/headers')
    expect(status).toBe(200)
    const { connection: _, 'cache-control': __, pragma: ___, ...headers } = JSON.parse(body)
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      host: 'app.dev',
      'user-agent': 'Grantkit (+https://server.dev/auth)',
    })
  })

  it('keeps no cookie', async () => {
    await fetched('https://app.dev/cookie')
    expect((await fetched('https://app.dev/headers')).body).not.toContain('cookie')
  })

  it('follows no redirect', async () => {
    const { status, headers, body } = await fetched('https://app.dev/moved')
    expect({ status, headers, body }).toMatchObject({
      status: 302,
      headers: { location: 'https://app.dev/headers' },
      body: '',
    })
  })

  it.each([
    'http://app.dev/headers',
    'https://127.0.0.1/headers',
    'https://[::1]/headers',
    'https://2130706433/headers',
    'https://localhost/headers',
    'https://intranet/headers',
    'https://printer.local/headers',
    'https://app.dev:8443/headers',
    'https://server.dev/headers',
  ])('sends no packet to %s', async (url) => {
    seen = []
    expect(await fetched(url)).toMatchObject({ code: 'address' })
    expect(seen).toEqual([])
  })

  it('reads a body up to its limit', async () => {
    expect((await fetched('https://app.dev/full')).body).toHaveLength(LIMIT)
  })

  it.each([
    ['size', '/announced'],
    ['size', '/large'],
    ['encoding', '/compressed'],
    ['encoding', '/latin1'],
    ['connect', '/broken'],
  ])('fails with the code %s for the answer %s', async (code, path) => {
    expect(await fetched(`https://app.dev${path}`)).toMatchObject({ code })
  })

  it.each(['/silent', '/stalled'])('ends at its deadline: %s', async (path) => {
    expect(await fetched(`https://app.dev${path}`, { deadline: 200 })).toMatchObject({ code: 'timeout' })
  })

  it('has no exception for tests', async () => {
    const unsafeForTests = { hosts: { 'app.dev': '127.0.0.1:8443' } }
    const { message } = await fetched('https://app.dev/headers', { unsafeForTests })
    expect(message).toContain('has no effect in a Cloudflare Worker')
  })

  it('is refused at creation without the flag that keeps it out of the own zone', async () => {
    const open = await startWorker(ENTRY)
    const { message } = await fetched('https://app.dev/headers', {}, open)
    await open.close()
    expect(message).toContain('compatibility_flags: global_fetch_strictly_public')
  })
})
