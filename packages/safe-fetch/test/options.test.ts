import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SafeFetchOptions, safeFetch } from '../src/index.ts'

const issuer = 'https://server.dev/auth'
const authority = certificateAuthority()
const request = {
  accept: 'application/json',
  maxBytes: 5120,
  headers: {},
  signal: new AbortController().signal,
}

describe('the options of safe-fetch', () => {
  let place: string
  const server = createServer(authority.issue('app.dev'), ({ headers }, response) =>
    response.end(JSON.stringify(headers)),
  )
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  const fetchLocally = async (url: string, options: Partial<SafeFetchOptions> = {}) => {
    const unsafeForTests = { ca: authority.ca, hosts: { 'app.dev': place, 'other.dev': place } }
    return safeFetch({ issuer, unsafeForTests, ...options })(url, request)
  }

  it('issuer is who asks', async () => {
    const { body } = await fetchLocally('https://app.dev/client.json')
    expect(JSON.parse(body)).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      host: 'app.dev',
      'user-agent': `Grantkit (+${issuer})`,
    })
  })

  it('time has no timer left after an answer, nor after a failure', async () => {
    let timers = 0
    const after = () => {
      timers += 1
      return () => {
        timers -= 1
      }
    }
    const time = { after, sleep: () => Promise.reject(new Error('nothing sleeps')) }
    await fetchLocally('https://app.dev/c', { time })
    await expect(fetchLocally('https://other.dev/c', { time })).rejects.toMatchObject({ code: 'tls' })
    expect(timers).toBe(0)
  })

  it('issuer is not fetched from', async () => {
    const fault = fetchLocally('https://server.dev/auth/oauth/authorize')
    await expect(fault).rejects.toMatchObject({
      code: 'address',
      message: expect.stringContaining('this server'),
    })
  })

  it('ports are allowed, and no others', async () => {
    const ports = [8443]
    expect(await fetchLocally('https://app.dev:8443/c', { ports })).toMatchObject({
      body: expect.stringContaining('"host":"app.dev:8443"'),
    })
    await expect(fetchLocally('https://app.dev/c', { ports })).rejects.toMatchObject({ code: 'address' })
  })

  it('unsafeForTests.hosts opens names, not certificates', async () => {
    await expect(fetchLocally('https://other.dev/c')).rejects.toMatchObject({ code: 'tls' })
    const unsafeForTests = { hosts: { 'app.dev': place } }
    await expect(fetchLocally('https://app.dev/c', { unsafeForTests })).rejects.toMatchObject({ code: 'tls' })
  })

  it.each<[string, Partial<SafeFetchOptions>]>([
    ['issuer', { issuer: 'service' }],
    ['deadline', { deadline: 0 }],
    ['deadline', { deadline: Number.NaN }],
    ['deadline', { deadline: 2 ** 31 }],
    ['ports', { ports: [443, 65536] }],
    ['unsafeForTests.hosts', { unsafeForTests: { hosts: { 'app.dev': 'localhost:1' } } }],
    ['unsafeForTests.hosts', { unsafeForTests: { hosts: { 'app.dev': '127.0.0.1' } } }],
    ['unsafeForTests.hosts', { unsafeForTests: { hosts: { 'app.dev': '127.0.0.1:0' } } }],
    ['unsafeForTests.hosts', { unsafeForTests: { hosts: { 'app.dev': '127.0.0.1:1x' } } }],
  ])('%s is refused at creation: %j', (name, wrong) => {
    expect(() => safeFetch({ issuer, ...wrong })).toThrow(`${name}: `)
  })
})
