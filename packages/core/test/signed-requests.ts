import { clientAssertion } from '@grantkit/core/client-assertion'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { type RequestObjectsOptions, requestObjects } from '@grantkit/core/request-objects'
import { type JWTHeaderParameters, SignJWT } from 'jose'
import { bodyOf } from './client.ts'
import { CHALLENGE, ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'
import { assertionForm, assertionOf, type Claims, type Key, newKey } from './signed-assertions.ts'

/** Clients that sign their requests, with what a test changes in them. */

export const KEY = await newKey()

/** What openid-client sends, with five minutes to live. A claim of `undefined` is left out. */
export function objectOf(
  { clock }: Pick<Service, 'clock'>,
  clientId: string,
  changed: Claims = {},
  header: Partial<JWTHeaderParameters> = {},
  { alg, privateKey }: Pick<Key, 'alg' | 'privateKey'> = KEY,
): Promise<string> {
  const about = { iss: clientId, aud: ISSUER, iat: clock.now, nbf: clock.now, exp: clock.now + 300 }
  return new SignJWT({
    ...{ ...about, client_id: clientId, response_type: 'code', redirect_uri: REDIRECT_URI },
    ...{ scope: 'courses:read', state: 'signed', code_challenge: CHALLENGE, code_challenge_method: 'S256' },
    ...changed,
  })
    .setProtectedHeader({ alg, typ: 'oauth-authz-req+jwt', ...header })
    .sign(privateKey)
}

/** A service with request objects and PAR, and a client that has a key. */
export async function openSigning(options: RequestObjectsOptions = {}, metadata: object = {}) {
  const features = [clientAssertion(), pushedAuthorizationRequests(), requestObjects(options)]
  const service = openService({ features })
  return { service, client_id: await added(service, metadata) }
}

export async function added(service: Service, metadata: object = {}, key: Key = KEY): Promise<string> {
  const { clientId } = await service.server.clients.add({
    clientName: 'Ledger',
    redirectUris: [REDIRECT_URI],
    tokenEndpointAuthMethod: 'private_key_jwt',
    ...('jwksUri' in metadata ? {} : { jwks: { keys: [key.jwk] } }),
    ...metadata,
  })
  return clientId
}

export async function push(
  service: Service,
  clientId: string,
  request: string,
  more: Record<string, string> = {},
) {
  const form = { request, ...assertionForm(await assertionOf(service, KEY, clientId)), ...more }
  const answer = await service.send('POST', '/api/oauth/par', { form })
  return { status: answer.status, ...bodyOf<{ request_uri: string; error?: string }>(answer) }
}

export function queryOf(client_id: string, request: string, more: Record<string, string> = {}): string {
  return String(new URLSearchParams({ client_id, request, ...more }))
}

/** Why the last request was refused. */
export function reasonOf({ events }: Service): string | undefined {
  const last = events.findLast(({ type }) => type === 'refused')
  return last?.type === 'refused' ? last.reason : undefined
}
