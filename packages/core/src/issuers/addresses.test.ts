import { expect, it } from 'vitest'
import { byHost, byPath } from './addresses.ts'

const requestOf = (path: string, headers = {}) => ({ method: 'GET', path, query: '', headers, body: '' })

it.each(['', '/', 't', '/t/', '/t?x', '/{key}', 'x/t'])('issuers are not below %j', (base) => {
  expect(() => byPath(base)).toThrow(`byPath: ${base} is not a path such as /t`)
})

it.each(['/tenants/acme/oauth/token', '/tenants/acme', '/.well-known/openid-configuration/tenants/acme'])(
  'the segment behind the base is the key of %s',
  (path) => {
    expect(byPath('/tenants').keyOf(requestOf(path))).toBe('acme')
  },
)

it('a base may have several segments', () => {
  const addresses = byPath('/auth/t')
  expect(addresses.keyOf(requestOf('/auth/t/acme/oauth/token'))).toBe('acme')
  expect(addresses.keyIn('https://auth.example/auth/t/acme')).toBe('acme')
  expect(addresses.keyOf(requestOf('/other/t/acme'))).toBeUndefined()
})

it.each([
  ['Acme.Example', {}],
  ['acme.example:443', {}],
  [undefined, { ':authority': 'acme.example' }],
])('the host is the key: %s %j', (host, more) => {
  expect(byHost().keyOf(requestOf('/oauth/token', { ...(host && { host }), ...more }))).toBe('acme.example')
  expect(byHost().keyIn('https://acme.example')).toBe('acme.example')
  expect(byHost().keyIn('http://127.0.0.1:3000/x')).toBe('127.0.0.1:3000')
})

it('a request without a host has no key', () => {
  expect(byHost().keyOf(requestOf('/oauth/token'))).toBeUndefined()
})

it('the endpoints of core and the documents are mounted', () => {
  const documents = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource',
  ]
  expect(byHost().paths).toEqual([...documents, '/oauth', '/api/oauth'])
  expect(byPath('/t').paths).toEqual(['/t', ...documents.map((document) => `${document}/t`)])
})
