import type { Feature } from '@grantkit/core'
import { type ClientAssertionOptions, clientAssertion } from '@grantkit/core/client-assertion'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { bodyOf } from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

/** Clients that sign assertions, with keys that a test changes. */

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export async function newKey(alg = 'ES256', options: object = {}) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...options })
  return { alg, privateKey, jwk: await exportJWK(publicKey) }
}
export type Key = Awaited<ReturnType<typeof newKey>>

let count = 0

export interface Claims {
  readonly [claim: string]: unknown
}

/** What the SDK of MCP sends: no `kid`, five minutes. A claim of `undefined` is left out. */
export function assertionOf(
  { clock }: Pick<Service, 'clock'>,
  { alg, privateKey }: Key,
  clientId: string,
  changed: Claims = {},
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const usual = { iss: clientId, sub: clientId, aud: ISSUER, iat: clock.now, exp: clock.now + 300 }
  return new SignJWT({ ...usual, jti: `jti-${++count}`, ...changed })
    .setProtectedHeader({ alg, typ: 'JWT', ...header })
    .sign(privateKey)
}

export function assertionForm(client_assertion: string): Record<string, string> {
  return { client_assertion, client_assertion_type: ASSERTION_TYPE }
}

interface SignedOptions extends ClientAssertionOptions {
  readonly metadata?: object
  readonly more?: readonly Feature[]
}

/** A service with an integration that has registered these keys. */
export async function openSigned(
  keys: readonly Key[],
  { metadata = {}, more = [], ...options }: SignedOptions = {},
) {
  const service = openService({ features: [clientAssertion(options), ...more] })
  const { clientId: client_id } = await service.server.clients.add({
    clientName: 'Reports',
    redirectUris: [REDIRECT_URI],
    tokenEndpointAuthMethod: 'private_key_jwt',
    ...('jwksUri' in metadata ? {} : { jwks: { keys: keys.map(({ jwk }) => jwk) } }),
    ...metadata,
  })
  return { service, client_id }
}

/** Whether a form authenticates its client: introspection responds to any authenticated client. */
export async function proves(service: Service, form: Record<string, string>) {
  const answer = await service.send('POST', '/api/oauth/introspect', { form: { token: 'any', ...form } })
  const { error, error_description } = bodyOf(answer)
  return { status: answer.status, error, error_description, reason: lastReason(service, answer.status) }
}

function lastReason({ events }: Service, status: number): string | undefined {
  const last = events.findLast(({ type }) => type === 'refused')
  return status === 200 || last?.type !== 'refused' ? undefined : last.reason
}
