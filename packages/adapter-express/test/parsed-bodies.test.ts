import express, { type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { authorizationServer } from '../src/index.ts'
import {
  FORM,
  JSON_TYPE,
  listen,
  openNotes,
  post,
  recording,
  reporting,
  UNKNOWN_TOKEN,
} from './application.ts'

const everything = () => true

async function mountBehind(...before: RequestHandler[]) {
  const route = recording()
  const { reported, handler } = reporting()
  const app = express().use(...before, authorizationServer({ routes: [route] }), handler)
  return { url: `${await listen(app)}/echo`, bodies: route.bodies, reported }
}

/** The values of each field: all the information in a form. */
function fieldsOf(form: string | undefined): Record<string, string[]> {
  const fields = new URLSearchParams(form)
  return Object.fromEntries([...fields.keys()].map((name) => [name, fields.getAll(name)]))
}

describe('authorizationServer behind a parser', () => {
  it.each([
    ['urlencoded', express.urlencoded()],
    ['urlencoded, extended', express.urlencoded({ extended: true })],
    ['text', express.text({ type: everything })],
    ['raw', express.raw({ type: everything })],
    ['json, which leaves a form alone', express.json()],
  ])('reads a form: %s', async (_, parser) => {
    const { server } = await openNotes()
    const base = await listen(express().use(parser, authorizationServer(server)))
    const response = await post(`${base}/api/oauth/token`, FORM, UNKNOWN_TOKEN)
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_grant' }])
  })

  it.each([
    ['json', express.json()],
    ['text', express.text({ type: everything })],
    ['raw', express.raw({ type: everything })],
    ['urlencoded, which leaves JSON alone', express.urlencoded()],
  ])('reads JSON: %s', async (_, parser) => {
    const { server } = await openNotes()
    const base = await listen(express().use(parser, authorizationServer(server)))
    const metadata = JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Ünïcode 😀' })
    const response = await post(`${base}/api/oauth/register`, JSON_TYPE, metadata)
    expect([response.status, await response.json()]).toMatchObject([201, { client_name: 'Ünïcode 😀' }])
  })

  it.each([false, true])('finds every field of a form again, extended: %s', async (extended) => {
    const { url, bodies } = await mountBehind(express.urlencoded({ extended }))
    const form = 'scope=a+b&x=%26%3D%2B%25&scope=c&scope=a+b&empty=&bare&u=%E2%82%AC&raw=€&constructor=y'
    await post(url, FORM, form)
    expect(fieldsOf(bodies[0])).toEqual(fieldsOf(form))
  })

  it('finds every value of JSON again', async () => {
    const { url, bodies } = await mountBehind(express.json({ type: ['json', '+json'] }))
    const sent = ' { "a" : 1, "a" : [2.50, null, "€"], "__proto__" : {"b": true} }\n'
    for (const type of ['Application/JSON; charset=UTF-8', 'application/scim+json']) {
      await post(url, { 'content-type': type }, sent)
      const found = JSON.parse(bodies.pop() ?? '')
      expect(found).toStrictEqual(JSON.parse(sent))
      expect(Object.keys(found)).toContain('__proto__')
    }
  })

  it.each(['a[b]=c', 'a[b][c]=d', 'a[][b]=c', 'client_id[]=c', 'a=b&client_id[0]=c'])(
    'refuses a form whose names the parser has changed, as the fault of the sender: %s',
    async (form) => {
      const { url, bodies, reported } = await mountBehind(express.urlencoded({ extended: true }))
      const response = await post(url, FORM, form)
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }])
      expect([bodies, reported], 'and tells neither core nor the application').toEqual([[], []])
    },
  )

  const drain: RequestHandler = (req, _res, next) => void req.resume().on('end', next)
  const leaving =
    (body: unknown): RequestHandler =>
    (req, res, next) =>
      drain(req, res, () => next(void Object.assign(req, { body })))

  it.each([
    ['which was thrown away', drain, FORM],
    ['of which null is left', leaving(null), JSON_TYPE],
    ['of which a number is left', leaving(1), JSON_TYPE],
    ['of several parts', leaving({ a: '1' }), { 'content-type': 'multipart/form-data; boundary=x' }],
    [
      'that became an object, of a type that says nothing',
      leaving({ a: '1' }),
      { 'content-type': 'text/plain' },
    ],
    ['with a number among its fields', leaving({ a: 1 }), FORM],
    [
      'that was decoded from another charset',
      leaving('grün'),
      { 'content-type': 'text/plain; charset=latin1' },
    ],
  ])('refuses a body %s', async (_, before, headers) => {
    const { url, bodies, reported } = await mountBehind(before)
    expect((await post(url, headers, 'grant_type=x')).status).toBe(500)
    expect(reported).toEqual([expect.stringContaining('the original bytes cannot be restored')])
    expect(bodies).toEqual([])
  })

  it('does not take a JSON string for the JSON inside of it', async () => {
    const { url, bodies } = await mountBehind(express.json({ strict: false }))
    expect((await post(url, JSON_TYPE, '"{}"')).status).toBe(500)
    expect(bodies).toEqual([])
  })

  it.each([
    ['a form', express.urlencoded({ limit: '1mb' }), FORM, `a=${'x'.repeat(65_536)}`],
    ['bytes', express.raw({ limit: '1mb', type: everything }), FORM, '€'.repeat(21_846)],
  ])('holds to 64 KiB where the parser does not: %s', async (_, parser, headers, body) => {
    const { url, bodies } = await mountBehind(parser)
    const response = await post(url, headers, body)
    expect([response.status, await response.json()]).toMatchObject([413, { error: 'invalid_request' }])
    expect(bodies).toEqual([])
  })

  it.each([
    ['urlencoded', express.urlencoded(), FORM],
    ['json', express.json(), JSON_TYPE],
    ['text', express.text({ type: everything }), FORM],
    ['nothing but a drain', drain, FORM],
  ])('knows an empty body: %s', async (_, parser, headers) => {
    const { url, bodies } = await mountBehind(parser)
    const chunked = new ReadableStream({ start: (controller) => controller.close() })
    const inChunks = { method: 'POST', headers, body: chunked, duplex: 'half' } as const
    await post(url, headers, '')
    await fetch(url, inChunks)
    await fetch(url)
    expect(bodies).toEqual(['', '', ''])
  })

  it('leaves the errors of the parser to the application', async () => {
    const { url, reported } = await mountBehind(express.json())
    expect(await (await post(url, JSON_TYPE, '{"a":')).text()).toBe('the application')
    expect(reported).toEqual([expect.stringContaining('JSON')])
  })
})
