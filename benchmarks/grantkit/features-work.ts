import { randomUUID } from 'node:crypto'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { exportJWK, SignJWT } from 'jose'
import { bearerGet, get, postForm } from '../src/http-text.ts'
import { each, inTurn, repeated } from '../src/requests.ts'
import { authorizationQuery, SCOPE } from '../src/sample.ts'
import type { Target } from '../src/target.ts'
import { Client, send } from './client.ts'
import { dpopProof, type KeyPair, newKeyPair } from './proofs.ts'
import type { Service } from './service.ts'

/** The workloads of the optional features. */

const TOKEN = '/api/oauth/token'
export const BOUND = '/bound-notes'
export const SIGNED = '/signed-notes'

const MACHINE = {
  client_name: 'Job',
  redirect_uris: [],
  grant_types: ['client_credentials'],
  client_credentials_scopes: 'notes:read',
}

export async function featuresWork({ server }: Service, issuer: string): Promise<Target['work']> {
  const client = await Client.register(server)
  const pair = await newKeyPair()
  const { client_id, client_secret = '' } = await server.clients.add({
    ...MACHINE,
    token_endpoint_auth_method: 'client_secret_post',
  })
  const signing = await server.clients.add({
    ...MACHINE,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [await exportJWK(pair.publicKey)] },
  })
  const pushed = Object.fromEntries(new URLSearchParams(authorizationQuery(client.clientId)))
  return {
    'client-credentials': repeated(
      postForm(TOKEN, { grant_type: 'client_credentials', client_id, client_secret }),
    ),
    'client-assertion': each(() => assertionRequest(issuer, signing.client_id, pair)),
    'device-poll': repeated(await pollRequest(server)),
    push: repeated(postForm('/api/oauth/par', pushed)),
    'protected-dpop': each(await boundRequests(client, issuer, pair)),
    'protected-jwt': inTurn(async () => {
      const { access_token } = await client.tokens(SCOPE, undefined, { asked: { resource: issuer } })
      return bearerGet(SIGNED, access_token)
    }),
  }
}

async function assertionRequest(issuer: string, clientId: string, { privateKey }: KeyPair): Promise<string> {
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  return postForm(TOKEN, {
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  })
}

/** Nobody ever answers the request of this device. */
async function pollRequest(server: Service['server']): Promise<string> {
  const { client_id } = await server.clients.add({
    client_name: 'TV',
    redirect_uris: [],
    grant_types: [DEVICE_CODE_GRANT],
    token_endpoint_auth_method: 'none',
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = String(new URLSearchParams({ client_id, scope: 'notes:read' }))
  const answer = await send(server, 'POST', '/api/oauth/device_authorization', { headers, body })
  const { device_code } = JSON.parse(answer.body)
  return postForm(TOKEN, { grant_type: DEVICE_CODE_GRANT, client_id, device_code })
}

/** The same bound token each time, and a proof for each request. */
async function boundRequests(client: Client, issuer: string, pair: KeyPair): Promise<() => Promise<string>> {
  const headers = { dpop: await dpopProof(pair, { htm: 'POST', htu: issuer + TOKEN }) }
  const { access_token } = await client.tokens(SCOPE, undefined, { headers })
  return async () => {
    const dpop = await dpopProof(pair, { htm: 'GET', htu: issuer + BOUND, token: access_token })
    return get(BOUND, { authorization: `DPoP ${access_token}`, dpop })
  }
}
