import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { FORM, jsonBody, parameters, ResourceParameter, readMessage, requireMediaType } from './message.ts'

describe('parameters', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a[]', 'a[0]', 'A', 'a.x'])(
    'HT-03: a parameter may have any name: %s',
    (name) => {
      expect(parameters('a=b')[name]).toBeUndefined()
      expect(Object.entries(parameters(`${name}=x&a=b`))).toEqual([
        [name, 'x'],
        ['a', 'b'],
      ])
      expect(Object.entries(parameters(`${name}=x&${name}=y`))).toEqual([[name, ['x', 'y']]])
    },
  )

  it('are lists where they are repeated, and absent where they are empty', () => {
    expect({ ...parameters('one=1&two=1&two=2&three=1&three=2&three=3&none=&nothing') }).toEqual({
      one: '1',
      two: ['1', '2'],
      three: ['1', '2', '3'],
    })
  })

  it('HT-06: parameters are a hundred at most, whatever their names', () => {
    expect(parameters('a=1&'.repeat(99)).a).toHaveLength(99)
    for (const many of ['a=1&'.repeat(100), '&'.repeat(100), 'a&'.repeat(5000)])
      expect(() => parameters(many)).toThrow('too many parameters')
  })

  it('are decoded as forms are', () => {
    expect({ ...parameters('scope=a+b%20c&uri=http%3A%2F%2F127.0.0.1%2F&name=%C3%A9') }).toEqual({
      scope: 'a b c',
      uri: 'http://127.0.0.1/',
      name: 'é',
    })
  })
})

describe('a message that is refused', () => {
  const Job = z.object({ job: z.string(), steps: z.array(z.string()), ['x'.repeat(101)]: z.string() })

  it.each([
    ['the parameter that is missing', {}, { parameter: 'job' }],
    ['the parameter around the wrong item', { job: 'a', steps: ['b', 1] }, { parameter: 'steps' }],
    ['100 characters of a long name', { job: 'a', steps: [] }, { parameter: 'x'.repeat(100) }],
    ['nothing, where there are no parameters', 'job', {}],
  ])('names %s', (_, input, named) => {
    expect(() => readMessage(Job, input)).toThrow(expect.objectContaining({ parameters: named }))
  })
})

describe('the media type of a message', () => {
  const requestOf = (type: string | undefined, body = '') => {
    return { method: 'POST', path: '/', query: '', body, headers: { 'content-type': type } }
  }

  it.each([
    FORM,
    FORM.toUpperCase(),
    `${FORM}; charset=utf-8`,
    `${FORM};charset="UTF-8"`,
    `${FORM} ; a=b; CHARSET=utf8`,
  ])('may be %s', (type) => {
    expect(() => requireMediaType(requestOf(type), FORM)).not.toThrow()
  })

  it.each([
    undefined,
    '',
    'application/json',
    `x${FORM}`,
    `${FORM}; charset=latin1`,
    `${FORM}; charset=xutf-8`,
    `${FORM}; charset=utf-8x`,
    `${FORM}; charset=utf-16`,
    `${FORM}, ${FORM}`,
    `text/plain; charset=utf-8`,
    'multipart/form-data; boundary=x',
  ])(
    'HT-02, REQ-30: a form without its media type, or in another charset than UTF-8, is not read: %s',
    (type) => {
      const error = { reason: 'media_type_unsupported', status: 415, parameters: { mediaType: FORM } }
      expect(() => requireMediaType(requestOf(type), FORM)).toThrow(expect.objectContaining(error))
    },
  )

  it('of a JSON body is JSON', () => {
    expect(jsonBody(requestOf('application/json', '{"a":1}'))).toEqual({ a: 1 })
    for (const [type, reason] of [
      ['application/json', 'body_unreadable'],
      [FORM, 'media_type_unsupported'],
    ])
      expect(() => jsonBody(requestOf(type, '{'))).toThrow(expect.objectContaining({ reason }))
  })
})

describe('the fault of a message', () => {
  const Message = z.object({
    a: z.string(),
    list: z.array(z.string()).optional(),
    of: z.array(z.string().max(1)),
  })

  it.each([
    ['is missing', { of: [] }, 'a is missing'],
    ['is repeated', parameters('a=1&a=2&of=1&of=2'), 'a must not be repeated'],
    ['is a list in JSON', { a: ['1', '2'], of: [] }, /^a: .*array$/],
    ['has another type', { a: 1, of: [] }, /^a: ./],
    ['has a wrong item', { a: '1', of: ['x', 'long'] }, /^of.1: ./],
    ['has an item that is a list', { a: '1', of: [['x']] }, /^of.0: ./],
    ['is no object', 'text', 'The body must be a JSON object'],
  ])('names the parameter that %s', (_, input, fault) => {
    expect(() => readMessage(Message, input)).toThrow(fault)
  })

  it.each([
    [undefined, []],
    ['https://a', ['https://a']],
    [
      ['https://a', 'https://b'],
      ['https://a', 'https://b'],
    ],
  ])('is none for the resources %j', (sent, resources) => {
    expect(ResourceParameter.parse(sent)).toEqual(resources)
    expect(ResourceParameter.safeParse(Array(21).fill('a')).success).toBe(false)
  })
})
