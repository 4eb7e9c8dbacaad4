import { createHash, randomUUID } from 'node:crypto'
import { createResourceServer } from '@grantkit/core'
import { dpop, dpopProofs } from '@grantkit/core/dpop'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { bearerGets, each, get, pushedRequest } from '../src/requests.ts'
import type { StartTarget, Workload } from '../src/workloads.ts'
import { Client, send, TOKEN } from './client.ts'
import { listen } from './fastify.ts'
import { boundlessStore, openService, SECRET, signingKeys } from './service.ts'

const [BOUND, SIGNED] = ['/bound-notes', '/signed-notes']

/** Grantkit on Fastify with PAR, DPoP and signed access tokens. */
export const start: StartTarget = async (port) => {
  const issuer = `http://127.0.0.1:${port}`
  const [store, keys] = [boundlessStore(), await signingKeys()]
  const features = [jwtAccessTokens({ resources: { [issuer]: {} } }), dpop(), pushedAuthorizationRequests()]
  const { server } = await openService(issuer, { store, keys, features })
  const proofs = dpopProofs({ secret: SECRET })
  const resource = { resource: issuer, scopes: { 'notes:read': { description: 'Read your notes' } } }
  const jwks = JSON.parse((await send(server, 'GET', '/api/oauth/jwks')).body)
  const bound = createResourceServer({ ...resource, store, accessTokens: server.accessTokens, proofs })
  const signed = createJwtResourceServer({ ...resource, issuer, keys: jwks })
  await listen(server, { [BOUND]: bound, [SIGNED]: signed }, port)
  const client = await Client.register(server)
  return {
    workloads: {
      jwt: bearerGets(SIGNED, () => client.tokens({ resource: issuer })),
      dpop: await boundGets(client, issuer),
      par: pushedRequest('/api/oauth/par', client.clientId),
    },
  }
}

/** The same bound token each time, and a proof for each request (RFC 9449 4.2). */
async function boundGets(client: Client, issuer: string): Promise<Workload> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = await exportJWK(publicKey)
  const proof = (htm: string, path: string, ath?: string) =>
    new SignJWT({ jti: randomUUID(), htm, htu: issuer + path, ath })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'EdDSA', jwk })
      .setIssuedAt()
      .sign(privateKey)
  const { access_token } = await client.tokens({}, { dpop: await proof('POST', TOKEN) })
  const ath = createHash('sha256').update(access_token).digest('base64url')
  const authorization = `DPoP ${access_token}`
  return each(async () => get(BOUND, { authorization, dpop: await proof('GET', BOUND, ath) }))
}
