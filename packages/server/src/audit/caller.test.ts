import type { HttpRequest } from '@grantkit/core'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import {
  browserOfCaller,
  callerMiddleware,
  callerOfEvent,
  coarseNetwork,
  deviceOf,
  withCaller,
} from './caller.ts'

describe('the network of an address', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['203.0.113.77:40001', '203.0.113.0/24'],
    ['[2001:db8::1]:443', '2001:db8:0::/48'],
    ['unknown', undefined],
    ['alice@example.com', undefined],
    [undefined, undefined],
  ])('of %s is %s', (address, network) => {
    expect(coarseNetwork(address)).toBe(network)
  })
})

describe('a browser in words', () => {
  const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
  const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [`${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`${WINDOWS} ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36`,
      'Chrome on Android',
    ],
    ['Safari/1', 'Safari'],
    ['curl/8.14.1', undefined],
    [undefined, undefined],
  ])('%s is %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device)
  })
})

describe('the language of a browser', () => {
  it.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de'],
    ['nl,fr;q=0.5', 'fr'],
    ['en-GB', 'en'],
    ['nl', undefined],
    ['*', undefined],
    [undefined, undefined],
  ])('that accepts %s is %s', async (accepted, language) => {
    const app = new Hono<{ Variables: { remoteAddress: string | undefined } }>()
      .use(callerMiddleware(() => undefined))
      .get('/', (c) => c.json(browserOfCaller()))
    const headers = { 'user-agent': 'Safari/1', ...(accepted && { 'accept-language': accepted }) }
    expect(await (await app.request('/', { headers })).json()).toEqual({
      device: 'Safari',
      ...(language && { language }),
    })
  })
})

describe('the client that a request names', () => {
  const ID = '0123456789abcdef0123456789abcdef'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  it.each([
    [{ query: `scope=a&client_id=${ID}` }, ID],
    [{ body: `client_id=${ID}`, headers: form }, ID],
    [{ query: 'client_id=https%3A%2F%2Fapp.example%2Fclient.json' }, 'https://app.example/client.json'],
    [{ query: 'client_id=https%3A%2F%2Fapp.example%2F%3Ftoken%3Dsecret' }, undefined],
    [{ query: 'client_id=gkr_0123456789abcdef012345.secret' }, undefined],
    [{ body: `client_id=${ID}` }, undefined],
    [{ headers: { authorization: `Basic ${btoa(`${ID}:secret`)}` } }, ID],
    [
      { headers: { authorization: `basic ${btoa('https%3A%2F%2Fapp.example%2Fclient.json:')}` } },
      'https://app.example/client.json',
    ],
    [{ headers: { authorization: `Basic ${btoa('gkr_secret:secret')}` } }, undefined],
    [{ headers: { authorization: `Bearer ${btoa(`${ID}:secret`)}` } }, undefined],
    [{}, undefined],
  ])('%j: %s', async (request, named) => {
    const blank: HttpRequest = { method: 'POST', path: '/', query: '', headers: {}, body: '' }
    let clientId: string | undefined
    const route = withCaller({
      path: '/',
      methods: ['POST'],
      async handle() {
        clientId = callerOfEvent().clientId
        return { status: 200, headers: {}, body: '' }
      },
    })
    await route.handle({ ...blank, ...request })
    expect(clientId).toBe(named)
    expect(callerOfEvent(), 'outside a request').toEqual({})
  })
})
