import { type DpopOptions, dpop } from '@grantkit/core/dpop'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { expect, it } from 'vitest'
import { ALICE, authorizationQuery, authorize, bodyOf, decide, redirectOf, register } from './client.ts'
import { provingKey } from './dpop-key.ts'
import { ISSUER, openSchool, REDIRECT_URI, type School, VERIFIER } from './school.ts'

/** A pushed request binds its code to the key that the push proves or names (RFC 9449 10.1). */

const [KEY, OTHER] = [provingKey(), provingKey()]

async function withClient(options: Partial<DpopOptions> = {}) {
  const features = [pushedAuthorizationRequests(), dpop({ ...options })]
  const school = openSchool({ features })
  return { school, client: await register(school) }
}

function proof({ clock }: School, path: string, key = KEY): Record<string, string> {
  const claims = { jti: String(Math.random()), htm: 'POST', htu: ISSUER + path, iat: clock.now }
  return { dpop: key.proof(claims) }
}

function push(school: School, clientId: string, asked: Record<string, string>, headers = {}) {
  const form = Object.fromEntries(new URLSearchParams(authorizationQuery(clientId, asked)))
  return school.send('POST', '/api/oauth/par', { form, headers })
}

/** The status of a redemption with a proof of each key, and without one. */
async function redemptions(school: School, client_id: string, pushed: string) {
  const { request_uri } = JSON.parse(pushed)
  const first = await authorize(school, String(new URLSearchParams({ client_id, request_uri })), ALICE)
  await authorize(school, String(first.headers.location).split('?')[1] ?? '', ALICE)
  const { code = '' } = redirectOf(await decide(school))
  const form = {
    grant_type: 'authorization_code',
    client_id,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  }
  const path = '/api/oauth/token'
  const proofs = [{}, proof(school, path, OTHER), proof(school, path)]
  const answers = []
  for (const headers of proofs) answers.push((await school.send('POST', path, { form, headers })).status)
  return answers
}

it.each(['proves', 'names', 'proves and names'])(
  'a code is bound to the key that the push %s',
  async (how) => {
    const { school, client } = await withClient()
    const named: Record<string, string> = how === 'proves' ? {} : { dpop_jkt: KEY.thumbprint }
    const headers = how === 'names' ? {} : proof(school, '/api/oauth/par')
    const answer = await push(school, client.clientId, named, headers)
    expect(answer.status, answer.body).toBe(201)
    expect(await redemptions(school, client.clientId, answer.body)).toEqual([400, 400, 200])
  },
)

it('a push with a proof of one key and dpop_jkt of another is rejected', async () => {
  const { school, client } = await withClient()
  const named = { dpop_jkt: OTHER.thumbprint }
  const answer = await push(school, client.clientId, named, proof(school, '/api/oauth/par'))
  expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
})

it('a proof for another endpoint is rejected, and no proof is needed', async () => {
  const { school, client } = await withClient()
  const answer = await push(school, client.clientId, {}, proof(school, '/api/oauth/token'))
  expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_dpop_proof'])
  expect((await push(school, client.clientId, {})).status).toBe(201)
})

it('a server that requires a nonce requires it in a proof at the push too', async () => {
  const { school, client } = await withClient({ nonce: 'required' })
  const answer = await push(school, client.clientId, {}, proof(school, '/api/oauth/par'))
  expect([answer.status, bodyOf(answer).error]).toEqual([400, 'use_dpop_nonce'])
  expect(answer.headers).toHaveProperty('dpop-nonce')
})
