import fc from 'fast-check'
import { expect, it } from 'vitest'
import { authorizationQuery, authorize, decide, redirectOf } from './client.ts'
import { DOCUMENT, ID, openWithDocuments } from './document-host.ts'

/** Any response of the host of a document. The nightly run tries more of them. */

const RUNS = Number(process.env.FUZZ_RUNS ?? 150)

const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue() },
  fc.constantFrom(
    '__proto__',
    'javascript:alert(1)',
    'http://127.0.0.1/callback',
    'http://localhost:0/callback',
    'https://evil.dev/callback?code=1',
    '\u202egnp.exe',
    '\0',
    'x'.repeat(6000),
    ['none', 'private_key_jwt'],
    { keys: [{ kty: 'oct', k: 'AAAA' }] },
    { toString: 1, length: 2 },
  ),
)
const members = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      ...Object.keys(DOCUMENT),
      'token_endpoint_auth_method',
      'token_endpoint_auth_methods_supported',
      'grant_types',
      'response_types',
      'scope',
      'jwks',
      'jwks_uri',
      'client_secret',
      'application_type',
      'logo_uri',
      '__proto__',
      'constructor',
      'toString',
    ),
    fc.string(),
  ),
  value,
  { maxKeys: 5, noNullPrototype: true },
)
const body = fc.oneof(
  { weight: 4, arbitrary: members.map((changed) => JSON.stringify({ ...DOCUMENT, ...changed })) },
  // The same member twice, at the end.
  members.map((changed) => `${JSON.stringify(DOCUMENT).slice(0, -1)},${JSON.stringify(changed).slice(1)}`),
  fc.nat(3000).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.json(),
  fc.string(),
)
const header = fc.oneof(
  fc.constantFrom(
    'no-store',
    'private',
    '*',
    'max-age=',
    'max-age=99999999999999',
    'max-age=-1, max-age=5',
    's-maxage="300"',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'gzip',
    'identity',
    'application/json; charset="',
    'application/client+json',
    'W/"a", "b"',
  ),
  fc.string(),
)
const answer = fc.record({
  status: fc.oneof({ weight: 4, arbitrary: fc.constant(200) }, fc.integer({ min: 100, max: 599 })),
  headers: fc.dictionary(
    fc.constantFrom(
      'content-type',
      'cache-control',
      'age',
      'date',
      'expires',
      'vary',
      'etag',
      'last-modified',
      'content-encoding',
      'retry-after',
    ),
    header,
    { maxKeys: 4, noNullPrototype: true },
  ),
  document: body,
})

it('shows a client with that id, or an error page, for any two responses of its host', async () => {
  const seen = { consent: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(answer, answer, async (first, second) => {
      const { service, host } = openWithDocuments()
      for (host.answer of [first, second]) {
        Object.assign(service.shown, { consent: undefined })
        const page = await authorize(service, authorizationQuery(ID))
        expect([200, 303, 400, 429, 503]).toContain(page.status)
        expect(service.shown.error?.reason).not.toBe('unexpected')
        if (page.status === 200) {
          seen.consent++
          expect(service.shown.consent?.client).toMatchObject({ clientId: ID, origin: 'document' })
          expect(redirectOf(await decide(service))).toMatchObject({ code: expect.any(String) })
        } else seen.refused++
        service.clock.now += 2 * 24 * 60 * 60
      }
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
    { numRuns: RUNS },
  )
  expect(seen.consent, 'not all of them are refused').toBeGreaterThan(RUNS / 20)
  expect(seen.refused).toBeGreaterThan(RUNS / 20)
})
