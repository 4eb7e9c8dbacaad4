import { type DpopOptions, dpop } from '@grantkit/core/dpop'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { expect, it } from 'vitest'
import { ALICE, authorizationQuery, authorize, bodyOf, decide, redirectOf, register } from './client.ts'
import { provingKey } from './dpop-key.ts'
import { ISSUER, openService, REDIRECT_URI, type Service, VERIFIER } from './service.ts'

/** A pushed request binds its code to the key that the push proves or names (RFC 9449 10.1). */

const [KEY, OTHER] = [provingKey(), provingKey()]

async function withClient(options: Partial<DpopOptions> = {}) {
  const features = [pushedAuthorizationRequests(), dpop({ ...options })]
  const service = openService({ features })
  return { service, client: await register(service) }
}

function proof({ clock }: Service, path: string, key = KEY): Record<string, string> {
  const claims = { jti: String(Math.random()), htm: 'POST', htu: ISSUER + path, iat: clock.now }
  return { dpop: key.proof(claims) }
}

function push(service: Service, clientId: string, requested: Record<string, string>, headers = {}) {
  const form = Object.fromEntries(new URLSearchParams(authorizationQuery(clientId, requested)))
  return service.send('POST', '/api/oauth/par', { form, headers })
}

/** The status of a redemption with a proof of each key, and without one. */
async function redemptions(service: Service, client_id: string, pushed: string) {
  const { request_uri } = JSON.parse(pushed)
  const first = await authorize(service, String(new URLSearchParams({ client_id, request_uri })), ALICE)
  await authorize(service, String(first.headers.location).split('?')[1] ?? '', ALICE)
  const { code = '' } = redirectOf(await decide(service))
  const form = {
    grant_type: 'authorization_code',
    client_id,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  }
  const path = '/api/oauth/token'
  const proofs = [{}, proof(service, path, OTHER), proof(service, path)]
  const answers = []
  for (const headers of proofs) answers.push((await service.send('POST', path, { form, headers })).status)
  return answers
}

it.each(['proves', 'names', 'proves and names'])(
  'DP-10: a code is bound to the key that the push %s',
  async (how) => {
    const { service, client } = await withClient()
    const named: Record<string, string> = how === 'proves' ? {} : { dpop_jkt: KEY.thumbprint }
    const headers = how === 'names' ? {} : proof(service, '/api/oauth/par')
    const answer = await push(service, client.clientId, named, headers)
    expect(answer.status, answer.body).toBe(201)
    expect(await redemptions(service, client.clientId, answer.body)).toEqual([400, 400, 200])
  },
)

it('a push with a proof of one key and dpop_jkt of another is rejected', async () => {
  const { service, client } = await withClient()
  const named = { dpop_jkt: OTHER.thumbprint }
  const answer = await push(service, client.clientId, named, proof(service, '/api/oauth/par'))
  expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
})

it('a proof for another endpoint is rejected, and no proof is needed', async () => {
  const { service, client } = await withClient()
  const answer = await push(service, client.clientId, {}, proof(service, '/api/oauth/token'))
  expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_dpop_proof'])
  expect((await push(service, client.clientId, {})).status).toBe(201)
})

it('a server that requires a nonce requires it in a proof at the push too', async () => {
  const { service, client } = await withClient({ nonce: 'required' })
  const answer = await push(service, client.clientId, {}, proof(service, '/api/oauth/par'))
  expect([answer.status, bodyOf(answer).error]).toEqual([400, 'use_dpop_nonce'])
  expect(answer.headers).toHaveProperty('dpop-nonce')
})
