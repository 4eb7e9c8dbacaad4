import { describe, expect, it } from 'vitest'
import { parseRedisUrl } from './redis-url.ts'

describe('a Redis URL', () => {
  it.each([
    ['redis://localhost', { kind: 'node', url: 'redis://localhost' }],
    ['rediss://u:p@h:1/3', { kind: 'node', url: 'rediss://u:p@h:1/3' }],
    [
      'redis+cluster://a,b:7001',
      {
        kind: 'cluster',
        tls: false,
        hosts: [
          { host: 'a', port: 6379 },
          { host: 'b', port: 7001 },
        ],
      },
    ],
    [
      'rediss+cluster://user:p%40ss:word@[::1]:7000',
      {
        kind: 'cluster',
        tls: true,
        username: 'user',
        password: 'p@ss:word',
        hosts: [{ host: '::1', port: 7000 }],
      },
    ],
    [
      'redis+sentinel://:secret@a,b:26380/my%20primary',
      {
        kind: 'sentinel',
        name: 'my primary',
        tls: false,
        password: 'secret',
        hosts: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 26380 },
        ],
      },
    ],
  ])('%s is understood', (url, expected) => {
    expect(parseRedisUrl(url)).toEqual(expected)
  })

  it.each([
    ['postgres://h', 'begins with redis://'],
    ['redis+cluster://', 'begins with redis://'],
    ['redis+sentinel://a', 'name of the primary'],
    ['redis+cluster://:secret@a:port', 'host or host:port'],
    ['redis+cluster://a,,b', 'host or host:port'],
    ['redis+cluster://:secret/x@a', 'host or host:port'],
  ])('%s is refused with a word why', (url, words) => {
    expect(() => parseRedisUrl(url)).toThrow(words)
    expect(() => parseRedisUrl(url)).not.toThrow('secret')
  })
})
