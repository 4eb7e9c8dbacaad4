import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { revalidatedText } from './bodies-and-answers.ts'

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache' }
const appOf = (textNow: () => string) => new Hono().get('/', revalidatedText(textNow, HEADERS))

const app = appOf(() => '{"a":1}')
const etag = String((await app.request('/')).headers.get('etag'))

it.each([
  ['*', 304],
  [etag, 304],
  [`W/${etag}`, 304],
  [`"other", W/"more" ,${etag}`, 304],
  ['"other"', 200],
  [etag.slice(1, -1), 200],
])('a request with If-None-Match: %s gets %d', async (known, status) => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await app.request('/', { method, headers: { 'if-none-match': known } })
    expect([answer.status, answer.headers.get('etag'), answer.headers.get('cache-control')]).toEqual([
      ...[status, etag, 'no-cache'],
    ])
    expect(await answer.text()).toBe(status === 200 && method === 'GET' ? '{"a":1}' : '')
  }
})

it('the validator is strong, and is that of the bytes', async () => {
  expect(etag).toMatch(/^"[\w-]{43}"$/)
  let text = '{"a":1}'
  const changing = appOf(() => text)
  expect((await changing.request('/')).headers.get('etag')).toBe(etag)
  text = '{"a":2}'
  const changed = await changing.request('/', { headers: { 'if-none-match': etag } })
  expect([changed.status, await changed.text()]).toEqual([200, text])
})
