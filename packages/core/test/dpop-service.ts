import type { AuthorizationServerOptions } from '@grantkit/core'
import { type DpopOptions, dpop } from '@grantkit/core/dpop'
import { bodyOf, codeFor, credentials, register, type TokenAnswer } from './client.ts'
import { type ProvingKey, provingKey } from './dpop-key.ts'
import { ISSUER, openService, REDIRECT_URI, type Service, type ServiceScope, VERIFIER } from './service.ts'

/** The service with DPoP, and requests of a client with a DPoP key. */

export const SECRET = 'a secret of the proofs, long enough to pass'
export const KEY = provingKey()

export function open(
  options: Partial<DpopOptions> = {},
  more: Partial<AuthorizationServerOptions<ServiceScope>> = {},
) {
  return openService({ features: [dpop({ ...options })], ...more })
}

/** The headers of a request with a DPoP proof. */
export function proven({ clock }: Service, path: string, claims: object = {}, key: ProvingKey = KEY) {
  const usual = { jti: String(Math.random()), htm: 'POST', htu: `${ISSUER}${path}`, iat: clock.now }
  return { dpop: key.proof({ ...usual, ...claims }) }
}

export function token(service: Service, form: Record<string, string>, headers: Record<string, string> = {}) {
  return service.send('POST', '/api/oauth/token', { form, headers })
}

export async function redemptionOf(service: Service, requested: Record<string, string> = {}) {
  const client = await register(service)
  const code = await codeFor(service, client.clientId, requested)
  const input = { code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
  return { client, form: { ...credentials(client), grant_type: 'authorization_code', ...input } }
}

export async function boundTokens(service: Service) {
  const { client, form } = await redemptionOf(service)
  const answer = await token(service, form, proven(service, '/api/oauth/token'))
  return { client, tokens: bodyOf<TokenAnswer>(answer) }
}
