import { describe, expect, it } from 'vitest'
import { comparableUri } from './target-uri.ts'

describe('the URI of a request', () => {
  it.each([
    ['HTTPS://API.example/a', 'https://api.example/a'],
    ['https://api.example:443/a', 'https://api.example/a'],
    ['http://api.example:80/a', 'http://api.example/a'],
    ['https://api.example:8443/a', 'https://api.example:8443/a'],
    ['https://api.example', 'https://api.example/'],
    ['https://api.example/a/./b/../c', 'https://api.example/a/c'],
    ['https://api.example/%7ea%2d%5A', 'https://api.example/~a-Z'],
    ['https://api.example/a%2fb', 'https://api.example/a%2Fb'],
    ['https://api.example/a?b=c#d', 'https://api.example/a'],
    ['https://api.example/a/', 'https://api.example/a/'],
  ])('%s is compared as %s', (uri, comparable) => {
    expect(comparableUri(uri)).toBe(comparable)
  })

  it.each([
    '',
    '/a',
    'api.example/a',
    'ftp://api.example/a',
    'https://',
    'https://u@api.example/',
    'javascript:1',
  ])('%j is none', (uri) => {
    expect(comparableUri(uri)).toBeUndefined()
  })
})
