import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SafeFetchOptions, safePost } from '../src/index.ts'

const issuer = 'https://server.dev/auth'
const authority = certificateAuthority()

describe('a post', () => {
  let place: string
  const received: { method?: string; headers: object; body: string; url?: string }[] = []
  const server = createServer(authority.issue('app.dev'), async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { method, headers, url } = request
    received.push({ ...(method && { method }), headers, body, ...(url && { url }) })
    if (url === '/moved') response.writeHead(307, { location: 'https://app.dev/elsewhere' }).end()
    else if (url === '/silent') return
    else if (url === '/endless') response.write('x'.repeat(100_000))
    else response.writeHead(429, { 'retry-after': '7', 'content-encoding': 'gzip' }).end('not gzip')
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const post = (url: string, options: Partial<SafeFetchOptions> = {}) => {
    const hosts = { 'app.dev': place, 'other.dev': place }
    const send = safePost({ issuer, unsafeForTests: { ca: authority.ca, hosts }, ...options })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return send(url, { headers, body: 'logout_token=ü', signal: new AbortController().signal })
  }

  it('sends its body with its length, names the server, and takes status and headers of the answer', async () => {
    const { status, headers } = await post('https://app.dev/logout')
    expect([status, headers['retry-after']]).toEqual([429, '7'])
    expect(received.at(-1)).toEqual({
      method: 'POST',
      url: '/logout',
      body: 'logout_token=ü',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': '15',
        'accept-encoding': 'identity',
        connection: 'close',
        host: 'app.dev',
        'user-agent': `Grantkit (+${issuer})`,
      },
    })
  })

  it('follows no redirect', async () => {
    const before = received.length
    expect(await post('https://app.dev/moved')).toMatchObject({ status: 307 })
    expect(received.length).toBe(before + 1)
  })

  it('does not wait for the body of the answer', async () => {
    expect(await post('https://app.dev/endless')).toMatchObject({ status: 200 })
  })

  it('ends at its deadline', async () => {
    await expect(post('https://app.dev/silent', { deadline: 100 })).rejects.toMatchObject({ code: 'timeout' })
  })

  it.each([
    'http://app.dev/logout',
    'https://127.0.0.1/logout',
    'https://localhost/logout',
    'https://169.254.169.254/latest',
    'https://intranet/logout',
    'https://server.dev/auth',
  ])('sends no packet to %s', async (url) => {
    const before = received.length
    await expect(post(url)).rejects.toMatchObject({ code: 'address' })
    expect(received.length).toBe(before)
  })

  it('needs the certificate of the name', async () => {
    await expect(post('https://other.dev/logout')).rejects.toMatchObject({ code: 'tls' })
  })
})
