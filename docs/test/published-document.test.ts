import { expect, it } from 'vitest'
import { publishedDocument } from './published-document.ts'

const URL = 'https://editor.dev/client.json'
const answering = (status: number, body = '', headers = {}) =>
  publishedDocument(URL, async () => new Response(body, { status, headers }))

it('has the members of a document', async () => {
  expect(await answering(200, `{"client_id":"${URL}"}`)).toEqual({
    kind: 'published',
    members: { client_id: URL },
  })
})

it.each([404, 410])('knows by a %s that the document is gone', async (status) => {
  expect(await answering(status)).toEqual({ kind: 'published', members: String(status) })
})

it.each([301, 403, 429, 503])('learns nothing from a %s', async (status) => {
  expect(await answering(status)).toEqual({ kind: 'unreachable', reason: `status ${status}` })
})

it('learns nothing from a page', async () => {
  expect(await answering(200, '<title>Just a moment</title>')).toMatchObject({ kind: 'unreachable' })
})

it('learns nothing without a network', async () => {
  const unreachable = publishedDocument(URL, async () => {
    throw new TypeError('fetch failed')
  })
  expect(await unreachable).toEqual({ kind: 'unreachable', reason: 'TypeError: fetch failed' })
})
