import type { AuthorizationServerOptions } from '@grantkit/core'
import { type DpopOptions, dpop } from '@grantkit/core/dpop'
import { bodyOf, codeFor, credentials, register, type TokenAnswer } from './client.ts'
import { type ProvingKey, provingKey } from './dpop-key.ts'
import { ISSUER, openSchool, REDIRECT_URI, type School, type SchoolScope, VERIFIER } from './school.ts'

/** The school with DPoP, and requests of a client with a DPoP key. */

export const SECRET = 'a secret of the proofs, long enough to pass'
export const KEY = provingKey()

export function open(
  options: Partial<DpopOptions> = {},
  more: Partial<AuthorizationServerOptions<SchoolScope>> = {},
) {
  return openSchool({ features: [dpop({ ...options })], ...more })
}

/** The headers of a request with a DPoP proof. */
export function proven({ clock }: School, path: string, claims: object = {}, key: ProvingKey = KEY) {
  const usual = { jti: String(Math.random()), htm: 'POST', htu: `${ISSUER}${path}`, iat: clock.now }
  return { dpop: key.proof({ ...usual, ...claims }) }
}

export function token(school: School, form: Record<string, string>, headers: Record<string, string> = {}) {
  return school.send('POST', '/api/oauth/token', { form, headers })
}

export async function redemptionOf(school: School, asked: Record<string, string> = {}) {
  const client = await register(school)
  const code = await codeFor(school, client.clientId, asked)
  const given = { code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
  return { client, form: { ...credentials(client), grant_type: 'authorization_code', ...given } }
}

export async function boundTokens(school: School) {
  const { client, form } = await redemptionOf(school)
  const answer = await token(school, form, proven(school, '/api/oauth/token'))
  return { client, tokens: bodyOf<TokenAnswer>(answer) }
}
