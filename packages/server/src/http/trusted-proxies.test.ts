import type { HttpRequest } from '@grantkit/core'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { trustedProxies } from '../config/address.ts'
import { behindProxies, callerOf, type ProxyObserver } from './trusted-proxies.ts'

const NGINX = '10.0.0.2'
const BALANCER = '10.0.0.1'
const CALLER = '203.0.113.7'
const LIE = '192.0.2.66'
const UNHEARD: ProxyObserver = { onError() {}, onWarning() {} }

/** The address that a handler of the application gets, for a socket address and an X-Forwarded-For header. */
async function toldApp(
  trust: number | string[] | undefined,
  remoteAddress: string | undefined,
  forwarded?: string,
) {
  const addressOf = callerOf(trust === undefined ? undefined : trustedProxies(trust), UNHEARD)
  const app = new Hono().get('/', (c) => c.json({ address: addressOf(c) }))
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded, forwarded: `for=${LIE}` }
  const answer = await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } })
  return ((await answer.json()) as { address?: string }).address
}

/** The same for an OAuth route. */
async function toldRoute(
  trust: number | string[] | undefined,
  remoteAddress: string | undefined,
  forwarded?: string,
) {
  const seen: HttpRequest[] = []
  const route = {
    path: '/',
    methods: [],
    handle: async (request: HttpRequest) => {
      seen.push(request)
      return { status: 200, headers: {}, body: '' }
    },
  }
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded, forwarded: `for=${LIE}` }
  const trusted = trust === undefined ? undefined : trustedProxies(trust)
  const request = { method: 'GET', path: '/', query: '', headers, body: '', remoteAddress }
  await behindProxies(route, trusted, UNHEARD).handle(request)
  return seen[0]?.remoteAddress
}

describe('the address of the caller', () => {
  it.each([
    ['no proxy is trusted', undefined, NGINX, CALLER, NGINX],
    ['one proxy says it', 1, NGINX, CALLER, CALLER],
    ['one proxy says it after a lie', 1, NGINX, `${LIE}, ${CALLER}`, CALLER],
    ['two proxies say it after a lie', 2, NGINX, `${LIE}, ${CALLER}, ${BALANCER}`, CALLER],
    ['two proxies are named, one is there', 2, NGINX, CALLER, CALLER],
    ['a network of proxies says it', ['10.0.0.0/8'], NGINX, `${LIE}, ${CALLER}, ${BALANCER}`, CALLER],
    ['named proxies say it', [NGINX, BALANCER], NGINX, `${LIE}, ${CALLER}, ${BALANCER}`, CALLER],
    ['the proxy runs on the same host', ['loopback'], '::ffff:127.0.0.1', CALLER, CALLER],
    ['an untrusted caller claims to be a proxy', ['10.0.0.0/8'], LIE, CALLER, LIE],
    ['a proxy says nothing', 1, NGINX, undefined, NGINX],
    ['there is no socket address', 1, undefined, CALLER, undefined],
    ['a proxy adds the port', 1, NGINX, `${LIE}:1, ${CALLER}:40001`, CALLER],
    [
      'a named proxy has a port',
      [BALANCER, NGINX],
      NGINX,
      `${LIE}, ${CALLER}:40001, ${BALANCER}:5123`,
      CALLER,
    ],
    ['a network of proxies has ports', ['10.0.0.0/8'], NGINX, `${CALLER}:40001, ${BALANCER}:5123`, CALLER],
    ['a proxy adds brackets', 1, NGINX, '[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1'],
    ['a proxy says no address', 1, NGINX, `${LIE}, unknown`, undefined],
  ])('when %s', async (_, trust, socket, forwarded, address) => {
    expect(await toldRoute(trust, socket, forwarded)).toBe(address)
    expect(await toldApp(trust, socket, forwarded)).toBe(address)
  })
})

describe('a caller whose proxy says no address', () => {
  it('is logged once, without the content of the header', async () => {
    const logged: unknown[] = []
    const addressOf = callerOf(trustedProxies(1), { ...UNHEARD, onError: (error) => logged.push(error) })
    const app = new Hono().get('/', (c) => c.json({ address: addressOf(c) }))
    const ask = (forwarded: string) =>
      app.request(
        '/',
        { headers: { 'x-forwarded-for': forwarded } },
        { incoming: { socket: { remoteAddress: NGINX } } },
      )
    for (const forwarded of [CALLER, 'alice.example', 'unknown']) await ask(forwarded)
    expect(logged).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/X-Forwarded-For.*TRUST_PROXY/) }),
    ])
    expect(String(logged)).not.toContain('alice')
  })
})

describe('a proxy that is not trusted', () => {
  it('is a warning, once, by pages and OAuth routes together, with the setting that is missing', async () => {
    const logged: string[] = []
    const observer = { ...UNHEARD, onWarning: (warning: string) => void logged.push(warning) }
    const addressOf = callerOf(undefined, observer)
    const app = new Hono().get('/', (c) => c.json({ address: addressOf(c) }))
    const route = behindProxies(
      { path: '/', methods: [], handle: async () => ({ status: 200, headers: {}, body: '' }) },
      undefined,
      observer,
    )
    const ask = async (headers: Record<string, string>) => {
      await app.request('/', { headers }, { incoming: { socket: { remoteAddress: NGINX } } })
      const request = { method: 'GET', path: '/', query: '', headers, body: '', remoteAddress: NGINX }
      await route.handle(request)
    }
    await ask({})
    expect(logged).toEqual([])
    await ask({ 'x-forwarded-for': CALLER })
    await ask({ 'x-forwarded-for': CALLER })
    expect(logged).toEqual([expect.stringMatching(/X-Forwarded-For.*share.*TRUST_PROXY=1/)])
  })
})
