import { describe, expect, it } from 'vitest'
import { isLoopbackUrl, publicUrlFault } from './public-url.ts'

describe('a URL of this machine', () => {
  it.each([
    'http://localhost',
    'http://app.localhost:80/x',
    'https://127.0.0.1',
    'http://127.255.0.9:1',
    'http://[::1]:3000/',
  ])('is %s', (url) => expect(isLoopbackUrl(url)).toBe(true))

  it.each([
    ...[
      '',
      'null',
      'localhost',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://notlocalhost',
    ],
    ...[
      'http://localhost@evil.example',
      'http://evil.example/localhost',
      'http://[::ffff:127.0.0.1]',
      'http://128.0.0.1',
    ],
  ])('is not %j', (url) => expect(isLoopbackUrl(url)).toBe(false))
})

it.each([
  ['https://app.dev:8443/c', undefined],
  ['https://app.dev/c', 'has no port'],
  ['https://app.dev:22/c', 'has a port'],
  ['https://server.dev:8443/c', 'is an address of this server'],
])('where only port 8443 is allowed, the fault of %s is %j', (url, fault) => {
  expect(publicUrlFault(url, { issuer: 'https://server.dev', ports: [8443] })).toBe(fault)
})
