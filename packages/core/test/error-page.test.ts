import { describe, expect, it } from 'vitest'
import type { Interaction } from '../src/index.ts'
import { authorizationQuery, authorize, bodyOf, register } from './client.ts'
import { ISSUER, openService } from './service.ts'

/** An error that is not redirected to the client, for a browser and for a program. */

describe('a request of an unknown client', () => {
  it('D12: the error of an unknown client says to register again, in JSON for a program that accepts it', async () => {
    const service = openService()
    const answer = await authorize(service, authorizationQuery('unknown'), { accept: 'application/json' })
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    expect(bodyOf(answer)).toEqual({
      error: 'invalid_client',
      error_description: 'No client has this client_id. The client must register again',
      reason: 'client_unknown',
      iss: ISSUER,
    })
    expect(service.shown.error, 'and no page is made').toBeUndefined()
  })

  it.each([
    undefined,
    '*/*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json, text/html;q=0.9',
    'application/jsonp',
    'application/ld+json',
  ])('is answered by a page if the request accepts %s', async (accept) => {
    const service = openService()
    const answer = await authorize(service, authorizationQuery('unknown'), { accept })
    expect([answer.status, answer.body]).toEqual([400, 'client_unknown'])
    expect(service.shown.error?.reason).toBe('client_unknown')
  })
})

it('an error page that throws is a 500 in JSON, and both errors are logged', async () => {
  const fault = new TypeError('no such template')
  const errorPage = () => Promise.reject(fault)
  const service = openService({ interaction: { errorPage } as Partial<Interaction> as Interaction })
  const answer = await authorize(service, authorizationQuery('unknown'))
  expect([answer.status, bodyOf(answer)]).toMatchObject([500, { error: 'server_error' }])
  expect(service.events).toMatchObject([
    { type: 'refused', reason: 'client_unknown' },
    { type: 'failed', reason: 'unexpected', cause: fault },
  ])
})

it('a program that checks first is redirected to the sign-in page like a browser, if there is no error', async () => {
  const service = openService()
  const { clientId: client_id } = await register(service)
  const answer = await authorize(service, authorizationQuery(client_id), { accept: 'application/json' })
  expect([answer.status, answer.headers.location]).toEqual([303, '/login'])
})

it('a temporary error has Retry-After for a program', async () => {
  const service = openService()
  service.store.clients.find = () => Promise.reject(new Error('down'))
  const answer = await authorize(service, authorizationQuery('unknown'), { accept: 'application/json' })
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
  expect(bodyOf(answer)).toMatchObject({ error: 'temporarily_unavailable', reason: 'store_unavailable' })
})
