import { describe, expect, it } from 'vitest'
import { fetchedDocument } from './outbound.ts'

const LARGEST = 5 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }
const kindOf = (status: number, headers: Record<string, string>, body: string) =>
  fetchedDocument({ status, headers, body }, LARGEST).kind

describe('the answer to the fetch of a document', () => {
  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/oauth-client-metadata+json'])(
    'is the document, as %s',
    (type) => {
      const answer = { status: 200, headers: { 'content-type': type }, body: '{"client_name":"é"}' }
      expect(fetchedDocument(answer, LARGEST)).toEqual({ kind: 'document', members: { client_name: 'é' } })
    },
  )

  it.each([301, 302, 307, 304, 204, 206, 400, 401, 403, 429, 500, 503])(
    'means nothing with status %i',
    (status) => {
      expect(kindOf(status, { ...JSON_TYPE, location: 'http://169.254.169.254/' }, '{}')).toBe('unreachable')
    },
  )

  it.each([404, 410])('says that the document is gone with status %i', (status) => {
    expect(kindOf(status, JSON_TYPE, '{}')).toBe('gone')
  })

  it.each([
    ['a page of a bot wall', { 'content-type': 'text/html' }, '<html>'],
    ['JSON that says it is text', { 'content-type': 'text/plain' }, '{}'],
    ['a type that only begins like JSON', { 'content-type': 'application/jsonp' }, '{}'],
    ['no type', {}, '{}'],
    ['an encoded body', { ...JSON_TYPE, 'content-encoding': 'gzip' }, '{}'],
  ])('means nothing for %s', (_, headers, body) => {
    expect(kindOf(200, headers as Record<string, string>, body)).toBe('unreachable')
  })

  it.each([
    ['a byte order mark', '\ufeff{}'],
    ['broken JSON', '{"a":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['thousands of levels', '['.repeat(5000)],
  ])('is no document for %s', (_, body) => {
    expect(kindOf(200, JSON_TYPE, body)).toBe('gone')
  })

  it('may have 5120 bytes', () => {
    const sized = (bytes: number) => `{"a":"é${'x'.repeat(bytes - 10)}"}`
    expect(kindOf(200, JSON_TYPE, sized(5120))).toBe('document')
    expect(kindOf(200, JSON_TYPE, sized(5121))).toBe('unreachable')
  })

  it('does not pollute prototypes by __proto__', () => {
    const answer = { status: 200, headers: JSON_TYPE, body: '{"__proto__":{"trusted":true}}' }
    fetchedDocument(answer, LARGEST)
    expect({}).not.toHaveProperty('trusted')
  })
})

describe('an answer in place of the document', () => {
  const json = { 'content-type': 'application/json' }
  const answered = (status: number, headers: Record<string, string> = json, body = '{}') =>
    fetchedDocument({ status, headers, body }, 10)

  it.each([
    [true, [300, 302, 399, 403, 429, 500, 503]],
    [false, [204, 304, 400, 401, 499]],
  ])('withholds it (%s) with one of the statuses %j', (withheld, statuses) => {
    for (const status of statuses)
      expect(answered(status)).toEqual({ kind: 'unreachable', fault: `status ${status}`, withheld })
  })

  it('with 404 or 410, or without a JSON object, says that there is none', () => {
    for (const status of [404, 410])
      expect(answered(status)).toEqual({ kind: 'gone', fault: `status ${status}` })
    for (const body of ['', '[]', 'null', '1', '{'])
      expect(answered(200, json, body)).toEqual({ kind: 'gone', fault: 'no JSON object' })
  })

  it.each([
    ['type', true, { 'content-type': 'text/html' }, '{}'],
    ['type none', true, {}, '{}'],
    ['type text/plain', true, { 'content-type': 'text/plain;charset=utf-8' }, '{}'],
    ['encoding', false, { ...json, 'content-encoding': 'gzip' }, '{}'],
    ['size', false, json, '{"a":"éé"}'],
  ])('with the fault %s withholds it: %s', (fault, withheld, headers, body) => {
    expect(answered(200, headers, body)).toEqual({ kind: 'unreachable', fault, withheld })
  })

  it('is none if the document is there, of the maximum size', () => {
    expect(answered(200, { ...json, 'content-encoding': 'identity' }, '{"a":"bc"}')).toEqual({
      kind: 'document',
      members: { a: 'bc' },
    })
  })
})
