import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sealingKeys } from '../../kernel/secrets.ts'
import { openRequest, PURPOSE, sealRequest } from './pushed-request.ts'

const KEY = sealingKeys(['a secret of the tests, long enough to pass'], PURPOSE)
const REQUEST = {
  pushedAt: 1_800_000_000,
  clientId: 'app',
  query: 'response_type=code&scope=a%20b&state=%C3%A9',
}

it('an encrypted request can only be read by the server that made it', () => {
  const request = fc.record({
    pushedAt: fc.nat(),
    clientId: fc.string(),
    query: fc.string(),
    unapproved: fc.boolean(),
  })
  const other = sealingKeys(['a secret of the tests, long enough to pasS'], PURPOSE)
  fc.assert(
    fc.property(request, (input) => {
      const requestUri = sealRequest(KEY, randomBytes, input)
      expect(openRequest(KEY, requestUri)).toEqual(input)
      expect(openRequest(other, requestUri)).toBeUndefined()
      expect(requestUri).toMatch(/^urn:ietf:params:oauth:request_uri:[\w-]+$/)
    }),
  )
})

it('PA-01: no change of a request_uri is another request, or another name of the same', () => {
  const requestUri = sealRequest(KEY, randomBytes, REQUEST)
  const change = fc.record({
    at: fc.nat(requestUri.length - 1),
    to: fc.string({ minLength: 0, maxLength: 2 }),
  })
  fc.assert(
    fc.property(change, ({ at, to }) => {
      const changed = requestUri.slice(0, at) + to + requestUri.slice(at + 1)
      fc.pre(changed !== requestUri)
      expect(openRequest(KEY, changed)).toBeUndefined()
    }),
    { numRuns: 1000 },
  )
  for (const foreign of [
    '',
    'https://app.example/request',
    'urn:ietf:params:oauth:request_uri:',
    `${requestUri}=`,
  ])
    expect(openRequest(KEY, foreign)).toBeUndefined()
})

it('a request of a known client is an approved one', () => {
  const opened = openRequest(KEY, sealRequest(KEY, randomBytes, REQUEST))
  expect(opened).toEqual({ ...REQUEST, unapproved: false })
})

it('the name of a request object stays with it, and so does its end', () => {
  const object = { name: 'hash', nameExpiresAt: 1_800_003_600 }
  expect(openRequest(KEY, sealRequest(KEY, randomBytes, { ...REQUEST, object }))).toMatchObject({ object })
})

it('the same request never has the same name twice', () => {
  const names = Array.from({ length: 100 }, () => sealRequest(KEY, randomBytes, REQUEST))
  expect(new Set(names).size).toBe(100)
})

it('a usual request grows by less than half', () => {
  const query = 'x'.repeat(408)
  expect(sealRequest(KEY, randomBytes, { ...REQUEST, query }).length).toBeLessThan(700)
})
