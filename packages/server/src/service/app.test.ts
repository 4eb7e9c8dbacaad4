import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import { pages } from '@grantkit/pages'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { prefetch } from '../http/bodies-and-answers.ts'
import { health } from '../operations/health.ts'
import { application } from './app.ts'

const fault = new TypeError('a secret detail')
const outage = new OAuthError(ERRORS.store_unavailable)

const ui = pages({ brand: { name: 'Notes' } })

function open(basePath: string) {
  const heard: unknown[] = []
  const failing = (error: Error) => () => Promise.reject(error)
  const part = new Hono()
    .get('/', (c) => c.text('home'))
    .get('/things/:id', (c) => c.text(c.req.param('id')))
    .post('/things/:id', prefetch, (c) => c.text(c.var.body))
    .get('/fault', failing(fault))
    .get('/outage', failing(outage))
  const app = application({ site: { basePath, ui }, onError: (error) => void heard.push(error) }, [
    part,
    health(async () => true),
  ])
  return {
    heard,
    ask: (path: string, init?: RequestInit) => app.request(`http://server.example${path}`, init),
  }
}

describe.each(['', '/auth', '/gr%C3%BC%C3%9Fe/a'])('the application below %j', (base) => {
  it.each([
    ['/', 200],
    ['/things/1', 200],
    ['/things/1/', 404],
    ['/things', 404],
    ['//things/1', 404],
    ['/THINGS/1', 404],
  ])('HT-09: another spelling of a path is another path: %s', async (path, status) => {
    expect((await open(base).ask(base + path)).status).toBe(status)
  })

  it('answers no path outside of it', async () => {
    const above = base === '' ? [] : ['/', '/things/1', `${base}x`, `${base}x/`]
    for (const path of [`/elsewhere${base}/`, ...above]) {
      const answer = await open(base).ask(path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.json()).toMatchObject({ error: 'not_found' })
    }
  })

  it('answers health checks, which know no base path, at the root as well', async () => {
    for (const path of ['/healthz', '/readyz', `${base}/healthz`, `${base}/readyz`])
      expect([path, (await open(base).ask(path)).status]).toEqual([path, 200])
  })

  it.each(['PUT', 'PROPFIND', 'OPTIONS', 'DELETE'])(
    'lists the methods that a path has instead of %s',
    async (method) => {
      const { status, headers } = await open(base).ask(`${base}/things/1`, { method })
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    },
  )
})

it('leads from its base path without the slash to its start page', async () => {
  const { status, headers } = await open('/gr%C3%BC%C3%9Fe/a').ask('/gr%C3%BC%C3%9Fe/a?b=c')
  expect([status, headers.get('location')]).toEqual([308, '/gr%C3%BC%C3%9Fe/a/?b=c'])
})

describe('an error of a handler', () => {
  it('is logged, and the caller learns only that there was one', async () => {
    const { ask, heard } = open('')
    const answer = await ask('/fault')
    expect([answer.status, heard]).toEqual([500, [fault]])
    expect(await answer.json()).toMatchObject({ error: 'server_error' })
  })

  it('that is temporary says so', async () => {
    const { ask, heard } = open('')
    expect([(await ask('/outage')).status, heard]).toEqual([503, [outage]])
  })
})

describe('a body', () => {
  it('HT-06: a body is read up to 64 KiB, regardless of its Content-Length', async () => {
    const post = async (body: string, headers = {}) =>
      (await open('').ask('/things/1', { method: 'POST', body, headers })).status
    expect(await post('x'.repeat(65_536))).toBe(200)
    expect(await post('x'.repeat(65_537))).toBe(413)
    expect(await post('x'.repeat(65_537), { 'content-length': '5' })).toBe(413)
  })

  it('HT-12: a body that is cut off is refused, and is logged as no error', async () => {
    const { ask, heard } = open('')
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) })
    const answer = await ask('/things/1', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect([answer.status, heard]).toEqual([400, []])
  })
})
