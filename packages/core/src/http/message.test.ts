import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parameters, readMessage } from './message.ts'

describe('parameters', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'take %s for a name like any other',
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

  it('are a hundred at most, whatever their names', () => {
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
