import { describe, expect, it } from 'vitest'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { BODY_LIMIT, type Endpoint, routesOf } from './endpoint.ts'
import type { HttpRequest } from './http.ts'

const ERRORS = defineErrors({
  busy: ['temporarily_unavailable', 'Busy', 429],
  bad_client: ['invalid_client', 'Unknown client'],
})
const ISSUER = 'https://server.example/auth'

/** Sends one request to an endpoint, and collects the events. */
async function sent(endpoint: Partial<Endpoint>, request: Partial<HttpRequest> = {}) {
  const events: { type: string; [fact: string]: unknown }[] = []
  const answer = () => ({ status: 200, headers: { 'x-own': '1' }, body: 'body' })
  const whole: Endpoint = { path: '/a', methods: ['GET'], cors: false, answer, ...endpoint }
  const reporting = { issuer: ISSUER, emit: (event: (typeof events)[0]) => void events.push(event) }
  const [route] = routesOf(reporting, [whole], [], { allowed: ['dpop'], exposed: ['DPoP-Nonce'] })
  const usual = { method: 'GET', path: '/auth/a', query: '', headers: {}, body: '' }
  const response = await route?.handle({ ...usual, ...request })
  if (response === undefined) throw new Error('there is no route')
  return { ...response, events, path: route?.path }
}

describe('an endpoint', () => {
  it('is below the path of the issuer, and a document at the root of the host', async () => {
    expect((await sent({})).path).toBe('/auth/a')
    const document: Endpoint = { path: '/.well-known/x', methods: ['GET'], cors: true, answer: () => never() }
    const [route] = routesOf({ issuer: ISSUER, emit: () => {} }, [], [document])
    expect(route?.path).toBe('/.well-known/x')
  })

  it('has a path of its own', () => {
    const endpoint: Endpoint = { path: '/a', methods: ['GET'], cors: false, answer: () => never() }
    expect(() => routesOf({ issuer: ISSUER, emit: () => {} }, [endpoint, endpoint], [])).toThrow('/auth/a')
  })

  it('that is open answers HEAD with the headers of GET, and a page runs nothing for it', async () => {
    const open = await sent({ cors: true }, { method: 'HEAD' })
    expect(open).toMatchObject({ status: 200, headers: { 'x-own': '1' }, body: '' })
    const page = await sent({ answer: () => never() }, { method: 'HEAD' })
    expect(page).toMatchObject({ status: 200, headers: { 'x-frame-options': 'DENY' }, body: '' })
  })

  it.each([
    [['GET'], false, 'GET, HEAD'],
    [['POST'], true, 'POST, OPTIONS'],
    [['GET', 'POST'], true, 'GET, POST, HEAD, OPTIONS'],
  ] as const)('with the methods %j (open: %s) refuses others: %s', async (methods, cors, allow) => {
    for (const method of ['PUT', ...(cors ? [] : ['OPTIONS'])])
      expect(await sent({ methods, cors }, { method })).toMatchObject({ status: 405, headers: { allow } })
  })

  it('may take every method', async () => {
    expect((await sent({ methods: ['*'] }, { method: 'PURGE' })).status).toBe(200)
  })

  it('HT-06, REQ-64: an endpoint takes 64 KiB, in bytes, and no more', async () => {
    const post = (body: string) => sent({ methods: ['POST'] }, { method: 'POST', body })
    expect((await post('x'.repeat(BODY_LIMIT))).status).toBe(200)
    expect((await post(`${'x'.repeat(BODY_LIMIT - 1)}é`)).status).toBe(413)
  })

  it('HT-10, REQ-72: an endpoint lets scripts of other origins in only if it is open, and never with cookies', async () => {
    expect((await sent({})).headers).not.toHaveProperty('access-control-allow-origin')
    const { headers } = await sent({ cors: true })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After, ETag, DPoP-Nonce',
    })
    expect(await sent({ cors: true, methods: ['GET', 'POST'] }, { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers':
          'authorization, content-type, if-none-match, mcp-protocol-version, dpop, *',
        'access-control-max-age': '86400',
      },
      body: '',
    })
  })
})

describe('an error of an endpoint', () => {
  const failing = (thrown: unknown, more: Partial<Endpoint> = {}) => ({
    answer: () => Promise.reject(thrown),
    ...more,
  })

  it('is reported and has the time to wait', async () => {
    const error = new OAuthError(ERRORS.busy, undefined, { retryAfter: 7, headers: { 'x-more': '2' } })
    const { events, ...response } = await sent(failing(error))
    expect(response).toMatchObject({ status: 429, headers: { 'retry-after': '7', 'x-more': '2' } })
    expect(events).toMatchObject([{ type: 'refused', path: '/auth/a', reason: 'busy', detail: 'Busy' }])
  })

  it('HT-12: a refusal is reported without the secret of a token in its path', async () => {
    const token = `gka_${'g'.repeat(22)}.${'s'.repeat(43)}`
    for (const path of [`/auth/${token}`, `/auth/x%2F${token.replace('.', '%2E')}`]) {
      const { events } = await sent(failing(new OAuthError(ERRORS.busy)), { path })
      expect(events[0]?.path).toBe(path.replace(/(\.|%2E)s+$/, ''))
    }
  })

  it('is not reported if the client is expected to repeat its request', async () => {
    expect((await sent(failing(new OAuthError(ERRORS.busy, undefined, { interim: true })))).events).toEqual(
      [],
    )
  })

  it('that is a fault is a 500 that tells the operator alone', async () => {
    const fault = new Error('secret detail')
    const { events, status, body } = await sent(failing(fault))
    expect([status, body.includes('secret detail')]).toEqual([500, false])
    expect(events).toMatchObject([{ type: 'failed', reason: 'unexpected', cause: fault }])
  })

  it('is shown by the endpoint itself, and if that fails too, both are reported', async () => {
    const error = new OAuthError(ERRORS.busy)
    const shown = await sent(failing(error, { refusal: () => ({ status: 400, headers: {}, body: 'page' }) }))
    expect(shown).toMatchObject({ status: 400, body: 'page' })
    const refusal = () => Promise.reject(new Error('no template'))
    const { status, events } = await sent(failing(error, { refusal }))
    expect([status, events.map(({ type }) => type)]).toEqual([500, ['refused', 'failed']])
  })

  it.each([
    ['Basic eDp5', 'Basic realm="oauth", charset="UTF-8"'],
    ['basic', 'basic realm="oauth", charset="UTF-8"'],
    ['Digest x', 'Digest realm="oauth"'],
    ['NotBasic x', 'NotBasic realm="oauth"'],
    ['Basics x', 'Basics realm="oauth"'],
    [`${'a'.repeat(20)} x`, `${'a'.repeat(20)} realm="oauth"`],
    [`${'a'.repeat(21)} x`, undefined],
    ['Ba"sic x', undefined],
    ['', undefined],
    [undefined, undefined],
  ])(
    'of a client that sent Authorization: %s challenges by its scheme: %s',
    async (authorization, challenge) => {
      const { status, headers } = await sent(failing(new OAuthError(ERRORS.bad_client)), {
        headers: { authorization },
      })
      expect([status, headers['www-authenticate']]).toEqual([401, challenge])
    },
  )
})

function never(): never {
  throw new Error('nothing may be answered')
}
