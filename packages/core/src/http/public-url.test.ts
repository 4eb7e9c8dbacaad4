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

it.each([
  ['https://app.dev/c', [443], undefined],
  ['https://app.dev:8443/c', [443, 8443], undefined],
  ['http://app.dev/c', [443], 'is no https address'],
  ['https://app.dev/c#x', [443], 'has a fragment'],
  ['https://u@app.dev/c', [443], 'has a user'],
  ['https://app.dev', [443], 'is not in its normal form'],
  ['https://app.dev/a/../c', [443], 'is not in its normal form'],
  ['https://:8443/', [8443], 'is not in its normal form'],
  ['https://app.dev:8443/c', [443], 'has a port'],
  ['https://app.dev/c', [8443], 'has no port'],
  ['https://server.dev/c', [443], 'is an address of this server'],
  ['https://192.0.2.1/c', [443], 'is at an IP address'],
  ['https://[2001:db8::1]/c', [443], 'is at an IP address'],
  ['https://intranet/c', [443], 'is at no public name'],
  ['https://app.dev./c', [443], 'is at no public name'],
  ['https://app.localhost/c', [443], 'is at no public name'],
])('the URL %s, with the ports %j, %s', (address, ports, fault) => {
  expect(publicUrlFault(address, { issuer: 'https://server.dev/auth', ports })).toBe(fault)
  if (ports.length === 1 && ports[0] === 443)
    expect(publicUrlFault(address, { issuer: 'https://server.dev/auth' })).toBe(fault)
})
