import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { DocumentFetch, DocumentFetchResponse } from '@grantkit/core/client-documents'
import { safeFetch } from '@grantkit/safe-fetch'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { describe, expect, it, vi } from 'vitest'
import { examineClient } from './examine-client.ts'

const ID = 'https://app.dev/client.json'
const DOCUMENT = {
  client_id: ID,
  client_name: 'App',
  redirect_uris: ['http://127.0.0.1/callback', 'https://app.dev/callback'],
  scope: 'of:another:server',
}

describe('the examination of a client', () => {
  it('finds nothing wrong with a client that servers accept', async () => {
    const verdicts = (await examineClient(ID, answering())).map(({ verdict }) => verdict)
    expect(verdicts).toEqual(Array(7).fill('passed'))
  })

  it.each<[string, string, string, DocumentFetch]>([
    ['client-host', 'No secure connection: expired', 'a certificate', failing()],
    [
      'client-status',
      'the answer was 302 to https://b.dev/',
      'a redirect',
      answering({ status: 302, headers: { location: 'https://b.dev/' } }),
    ],
    [
      'client-status',
      'the answer was 403, cf-mitigated: challenge',
      'a bot wall',
      answering({ status: 403, headers: { 'cf-mitigated': 'challenge' } }),
    ],
    [
      'client-type',
      'Content-Type is text/html',
      'a page',
      answering({ headers: { 'content-type': 'text/html' } }),
    ],
    ['client-document', 'it is no JSON object', 'a list', answering({ body: '[]' })],
    [
      'client-document',
      'client_id is "https://app.dev/Client.json"',
      'the id of another',
      describing({ client_id: 'https://app.dev/Client.json' }),
    ],
    ['client-document', 'client_secret: must not be there', 'a secret', describing({ client_secret: 'x' })],
    [
      'client-document',
      'names no authentication method of this server',
      'a method',
      describing({ token_endpoint_auth_method: 'private_key_jwt' }),
    ],
    [
      'client-document',
      'only a server that takes assertions lets it in',
      'keys alone',
      describing({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://app.dev/keys' }),
    ],
    [
      'client-redirects',
      'it lists https://app.dev/callback',
      'a website',
      describing({ redirect_uris: ['https://app.dev/callback'] }),
    ],
  ])('fails %s with "%s": %s', async (id, seen, _, fetch) => {
    const failures = (await examineClient(ID, fetch)).filter(({ verdict }) => verdict === 'failed')
    expect(failures).toEqual([expect.objectContaining({ id, seen: expect.stringContaining(seen) })])
  })

  it.each([
    ['max-age=7200', 'for 2 hours'],
    ['s-maxage=90000', 'for 24 hours, the most'],
    ['max-age=0', 'for 5 minutes, the least'],
    ['max-age=5400', 'for 90 minutes'],
    ['public', 'for 1 hour'],
  ])('says how long a server keeps a document with Cache-Control: %s', async (cacheControl, note) => {
    const headers = { 'content-type': 'application/json', 'cache-control': cacheControl }
    const findings = await examineClient(ID, answering({ headers }))
    expect(findings.find(({ id }) => id === 'client-cache')).toMatchObject({ verdict: 'passed', note })
  })

  it.each([{ 'cache-control': 'max-age=60, no-store' }, { 'cache-control': 'private' }, { vary: '*' }])(
    'fails client-cache for a document that no server may keep: %j',
    async (kept) => {
      const headers = { 'content-type': 'application/json', ...kept }
      const failures = (await examineClient(ID, answering({ headers }))).filter((f) => f.verdict === 'failed')
      const [[name, value] = []] = Object.entries(kept)
      expect(failures).toMatchObject([{ id: 'client-cache', seen: `${name}: ${value}` }])
    },
  )

  it('sends no request for an id that no server would fetch', async () => {
    const fetch = vi.fn(answering())
    const findings = await examineClient('https://127.0.0.1/client.json', fetch)
    expect(findings[0]).toMatchObject({
      id: 'client-id',
      seen: expect.stringContaining('is at an IP address'),
    })
    expect(findings.slice(1).map(({ verdict }) => verdict)).toEqual(Array(6).fill('skipped'))
    expect(fetch).not.toHaveBeenCalled()
  })

  it('fetches as a server does', async () => {
    const authority = certificateAuthority()
    const server = createServer(authority.issue('app.dev'), (_, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(DOCUMENT)),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const hosts = { 'app.dev': `127.0.0.1:${(server.address() as AddressInfo).port}` }
    const fetch = safeFetch({ issuer: 'https://server.dev', unsafeForTests: { ca: authority.ca, hosts } })
    const findings = await examineClient(ID, fetch)
    server.close()
    expect(findings.filter(({ verdict }) => verdict !== 'passed')).toEqual([])
  })
})

function answering(answer: Partial<DocumentFetchResponse> = {}): DocumentFetch {
  const headers = { 'content-type': 'application/json' }
  return async () => ({ status: 200, headers, body: JSON.stringify(DOCUMENT), ...answer })
}

function describing(members: object): DocumentFetch {
  return answering({ body: JSON.stringify({ ...DOCUMENT, ...members }) })
}

function failing(): DocumentFetch {
  return () => Promise.reject(new Error('No secure connection', { cause: new Error('expired') }))
}
