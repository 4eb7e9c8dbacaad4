import type { HttpResponse } from '@grantkit/core'
import { type Context, Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { beforeAll, describe, expect, it } from 'vitest'
import { schoolConfig } from '../config.ts'
import type { SchoolGuard } from '../oauth/guard.ts'
import { areas, SCOPES } from '../oauth/scopes.ts'
import { openSchoolStorage } from '../service.ts'
import { schoolApi } from './api.ts'
import { DEMO_SCHOOL } from './demo-data.ts'
import { schoolRecords } from './records.ts'

const challenge: HttpResponse = {
  status: 403,
  headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  body: '{}',
}

/** A guard that knows one token for each set of scopes: the token is their list. */
const api: SchoolGuard = {
  metadataUrl: 'https://school.example/.well-known/oauth-protected-resource',
  async access({ headers }, ...scopes) {
    const held = headers.authorization
    if (held === undefined) return { kind: 'anonymous' }
    if (!scopes.every((scope) => String(held).split(' ').includes(scope)))
      return { kind: 'refused', response: challenge }
    const token = {
      grantId: 'g',
      subject: 's',
      clientId: 'c',
      scopes,
      resources: [],
      issuedAt: 0,
      expiresAt: 1,
    }
    return { kind: 'authorized', token }
  },
  allowing: () => api,
  requiring: () => api,
}

async function openSchool() {
  let made = 0
  const config = schoolConfig({ DATABASE_URL: 'memory:', STORE_URL: 'memory:' })
  const { database } = await openSchoolStorage(config, () => {})
  const school = schoolRecords(database, () => `new-${++made}`)
  const app = new Hono()
  app.onError((error) => {
    throw error
  })
  const onMethodNotAllowed = (c: Context, methods: string[]) => c.json({}, 405, { allow: methods.join(', ') })
  app.use(methodNotAllowed({ app, onMethodNotAllowed })).route('/', schoolApi(api, school))
  return async (
    method: string,
    path: string,
    scopes?: string,
    body?: unknown,
    further: Record<string, string> = {},
  ) => {
    const headers = {
      ...(scopes === undefined ? {} : { authorization: scopes }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...further,
    }
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const response = await app.request(path, { method, headers, ...(text !== undefined && { body: text }) })
    const answered = await response.text()
    const json = answered === '' ? undefined : JSON.parse(answered)
    return { status: response.status, headers: Object.fromEntries(response.headers), body: answered, json }
  }
}

describe('every area', () => {
  let call: Awaited<ReturnType<typeof openSchool>>
  beforeAll(async () => {
    call = await openSchool()
  })

  it.each(areas)('$name allows exactly what its scopes allow', async ({ name }) => {
    const can = (access: string) => Object.hasOwn(SCOPES, `${name}:${access}`)
    const collection = await call('PUT', `/api/${name}`)
    const item = await call('PUT', `/api/${name}/x`)
    const reading = can('read') ? ['GET', 'HEAD'] : []
    expect([collection.status, item.status]).toEqual([405, 405])
    expect(collection.headers.allow).toBe(
      [...reading, ...(can('write') ? ['POST'] : []), 'OPTIONS'].join(', '),
    )
    expect(item.headers.allow).toBe(
      [...reading, ...(can('write') ? ['PATCH', 'DELETE'] : []), 'OPTIONS'].join(', '),
    )
  })

  it.each(areas.filter(({ read }) => read))(
    'PR-01, D3, REQ-53: only published items are shown without a token: $name',
    async ({ name, catalogue }) => {
      const response = await call('GET', `/api/${name}`)
      expect(response.status).toBe(200)
      expect(response.headers).not.toHaveProperty('www-authenticate')
      const { items, total } = response.json
      expect(items).toHaveLength(total)
      if (!catalogue) expect(total).toBe(0)
      expect((await call('GET', `/api/${name}`, 'openid')).status, 'without the scope').toBe(403)
      for (const record of items) expect(record.published).toBe(true)
      expect((await call('GET', `/api/${name}`, `${name}:read`)).json.total, 'a token sees it all').toBe(
        DEMO_SCHOOL[name]?.length,
      )
    },
  )

  it.each(areas.filter(({ write }) => write))(
    'D3: an anonymous write is refused plainly, without a challenge: $name',
    async ({ name }) => {
      for (const [method, path] of [
        ['POST', `/api/${name}`],
        ['PATCH', `/api/${name}/x`],
        ['DELETE', `/api/${name}/x`],
      ] as const) {
        const response = await call(method, path)
        expect([response.status, response.json.error]).toEqual([403, 'access_denied'])
        expect(response.headers).not.toHaveProperty('www-authenticate')
        const challenged = await call(method, path, `${name}:read`)
        expect(challenged.headers, 'without the scope').toHaveProperty('www-authenticate')
      }
    },
  )
})

describe('reading', () => {
  it('hides an unpublished item without a token, and shows it with one', async () => {
    const call = await openSchool()
    expect((await call('GET', '/api/courses/ceramics-glazing')).status).toBe(404)
    expect((await call('GET', '/api/students/student-1001')).status).toBe(404)
    expect((await call('GET', '/api/courses/ceramics-glazing', 'courses:read')).json.title).toBe(
      'Ceramics: glazing',
    )
  })

  it('links to the metadata only for anonymous clients', async () => {
    const call = await openSchool()
    const link = `<${api.metadataUrl}>; rel="service-meta"`
    expect((await call('GET', '/api/students')).headers.link).toBe(link)
    expect((await call('POST', '/api/students')).headers.link).toBe(link)
    expect((await call('GET', '/api/students', 'students:read')).headers).not.toHaveProperty('link')
  })

  it('returns a list page by page', async () => {
    const call = await openSchool()
    expect((await call('GET', '/api/courses?limit=2&offset=1')).json).toMatchObject({
      items: [{ id: 'typography-for-the-web' }, { id: 'bread-at-home' }],
      total: 5,
    })
    expect((await call('GET', '/api/courses?offset=1000000')).json.items).toEqual([])
  })

  it.each([
    ...['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'limit=', 'limit=1&limit=2'],
    ...['cursor=x', 'cursor=WzEsMl0', 'published=maybe', 'published=true&published=true'],
    ...['offset=-1', 'offset=1000001', 'offset=1e3', 'offset=', 'offset=0&offset=0'],
  ])('refuses the page %s', async (query) => {
    expect((await (await openSchool())('GET', `/api/courses?${query}`)).json.error).toBe('invalid_request')
  })

  it('continues a list at its cursor, even if items were removed in the meantime', async () => {
    const call = await openSchool()
    const first = (await call('GET', '/api/courses?limit=2', 'courses:read')).json
    await call('DELETE', '/api/courses/watercolour-basics', 'courses:write')
    const rest = (await call('GET', `/api/courses?cursor=${first.next_cursor}`, 'courses:read')).json
    const ids = [...first.items, ...rest.items].map(({ id }) => id)
    expect(ids).toEqual(DEMO_SCHOOL.courses?.map(({ id }) => id))
    expect(rest).not.toHaveProperty('next_cursor')
    expect(rest.total).toBe(5)
  })

  it('filters by published, and without a token shows only published items', async () => {
    const call = await openSchool()
    const totals = (scopes?: string) =>
      Promise.all(
        ['true', 'false'].map(
          async (word) => (await call('GET', `/api/courses?published=${word}`, scopes)).json.total,
        ),
      )
    expect(await totals('courses:read')).toEqual([5, 1])
    expect(await totals()).toEqual([5, 0])
  })

  it('answers HEAD without a body, and a preflight of any origin', async () => {
    const call = await openSchool()
    expect(await call('HEAD', '/api/courses')).toMatchObject({ status: 200, body: '' })
    const preflight = await call('OPTIONS', '/api/courses')
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*'])
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('is cacheable by shared caches only without a token', async () => {
    const call = await openSchool()
    expect((await call('GET', '/api/courses')).headers).toMatchObject({
      'cache-control': 'public, max-age=60',
      vary: 'Authorization',
    })
    expect((await call('GET', '/api/courses', 'courses:read')).headers['cache-control']).toBe('no-store')
  })
})

describe('writing', () => {
  it('adds, changes and removes', async () => {
    const call = await openSchool()
    const added = await call('POST', '/api/courses', 'courses:write', {
      title: 'Knots',
      id: 'mine',
      published: true,
    })
    expect([added.status, added.headers.location, added.json.id]).toEqual([
      201,
      '/api/courses/new-1',
      'new-1',
    ])
    const changed = await call('PATCH', '/api/courses/new-1', 'courses:write', {
      title: 'Better knots',
      id: 'other',
    })
    expect([changed.status, changed.json]).toEqual([
      200,
      { id: 'new-1', title: 'Better knots', published: true },
    ])
    expect((await call('DELETE', '/api/courses/new-1', 'courses:write')).status).toBe(204)
    expect((await call('GET', '/api/courses/new-1', 'courses:read')).status).toBe(404)
    expect((await call('DELETE', '/api/courses/new-1', 'courses:write')).status).toBe(404)
  })

  it('strips characters that hide or reorder text from a title', async () => {
    const call = await openSchool()
    const added = await call('POST', '/api/courses', 'courses:write', '{"title":"Kn\\u202eots\\u200b"}')
    expect([added.status, added.json.title]).toEqual([201, 'Knots'])
  })

  it('requires the write scope of that area', async () => {
    const call = await openSchool()
    expect((await call('POST', '/api/courses', 'courses:read students:write', { a: 1 })).status).toBe(403)
  })

  it.each([
    ['[]', 400],
    ['null', 400],
    ['"x"', 400],
    ['{"a":', 400],
  ])('refuses the body %s', async (body, status) => {
    expect((await (await openSchool())('POST', '/api/courses', 'courses:write', body)).status).toBe(status)
  })

  it('rejects another media type', async () => {
    expect((await (await openSchool())('POST', '/api/courses', 'courses:write')).status).toBe(415)
  })

  it.each([
    ['a list in itself 30,000 times', `{"title":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['its own toString', '{"title":{"toString":1}}'],
    ['its own valueOf', '{"price":{"amount":{"valueOf":null},"currency":"EUR"}}'],
    ['its own prototype', '{"title":"Knots","__proto__":{"published":true}}'],
    ['a control character', '{"title":"Kn\\u0000ts"}'],
    ['a title that cannot be seen', '{"title":"\\u2800\\u3164"}'],
    ['a longer title than a page shows', JSON.stringify({ title: 'x'.repeat(201) })],
    ['an unknown member', '{"title":"Knots","admin":true}'],
    ['a price without a currency', '{"title":"Knots","price":{"amount":100}}'],
    ['a day that is none', '{"title":"Knots","starts_on":"2027-02-30"}'],
  ])('PR-09: a record that could not be shown is refused, added or changed: %s', async (_, body) => {
    const call = await openSchool()
    const item = '/api/courses/bread-at-home'
    const before = (await call('GET', item)).body
    for (const [method, path] of [
      ['POST', '/api/courses'],
      ['PATCH', item],
    ] as const)
      expect(await call(method, path, 'courses:write', body)).toMatchObject({
        status: 400,
        json: { error: 'invalid_request' },
      })
    expect((await call('GET', item)).body).toBe(before)
    expect((await call('GET', '/api/courses')).json.total).toBe(5)
  })

  it('names all faults at once, with only the characters that an error description allows', async () => {
    const call = await openSchool()
    const body = { lessons: -1, price: { amount: 'many' }, 'b"ä': 1 }
    const { error_description } = (await call('POST', '/api/courses', 'courses:write', body)).json
    for (const fault of ['title is missing', 'lessons ', 'price.amount ', 'price.currency is missing', "b'?"])
      expect(error_description).toContain(fault)
    expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  })

  it('removes a member with null, unless it is required', async () => {
    const call = await openSchool()
    const item = '/api/courses/bread-at-home'
    expect((await call('PATCH', item, 'courses:write', { price: null })).json).not.toHaveProperty('price')
    expect((await call('PATCH', item, 'courses:write', { title: null })).status).toBe(400)
  })

  it('rejects a second coupon with the same code', async () => {
    const call = await openSchool()
    const add = (code: string) => call('POST', '/api/coupons', 'coupons:write', { code, percent: 5 })
    expect((await add('WINTER20')).json).toEqual({
      error: 'conflict',
      error_description: 'Another item in coupons has this code',
    })
    expect((await add('SUMMER')).status).toBe(201)
    const changed = await call('PATCH', '/api/coupons/new-2', 'coupons:write', { code: 'WINTER20' })
    expect([changed.status, (await call('GET', '/api/coupons/new-2', 'coupons:read')).json.code]).toEqual([
      409,
      'SUMMER',
    ])
  })

  it('changes and removes only the item that If-Match names', async () => {
    const call = await openSchool()
    const item = '/api/courses/bread-at-home'
    const { etag } = (await call('GET', item)).headers
    const change = (ifMatch: string) =>
      call('PATCH', item, 'courses:write', { lessons: 10 }, { 'if-match': ifMatch })
    expect((await change('"7"')).json.error).toBe('precondition_failed')
    expect((await change(`W/${etag}`)).status, 'a weak tag is no tag to write by').toBe(412)
    const changed = await change(`"7", ${etag}`)
    expect([changed.status, changed.headers.etag === etag]).toEqual([200, false])
    expect((await change(String(etag))).status).toBe(412)
    const remove = (ifMatch: string) =>
      call('DELETE', item, 'courses:write', undefined, { 'if-match': ifMatch })
    expect((await remove(String(etag))).status).toBe(412)
    expect((await remove('*')).status).toBe(204)
  })

  it('loses neither of two concurrent changes', async () => {
    const call = await openSchool()
    const item = '/api/courses/bread-at-home'
    const changes = [{ lessons: 10 }, { language: 'en' }, { slug: 'bread' }, { description: 'Flour.' }]
    await Promise.all(changes.map((change) => call('PATCH', item, 'courses:write', change)))
    expect((await call('GET', item)).json).toMatchObject(Object.assign({}, ...changes))
  })
})
