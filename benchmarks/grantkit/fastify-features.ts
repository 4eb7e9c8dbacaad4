import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import { createResourceServer, type ResourceServer } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { device } from '@grantkit/core/device'
import { dpop, dpopProofs } from '@grantkit/core/dpop'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import fastify from 'fastify'
import type { StartTarget } from '../src/target.ts'
import { send } from './client.ts'
import { BOUND, featuresWork, SIGNED } from './features-work.ts'
import { boundlessStore, INTERACTION, openService, SECRET, type Service, signingKeys } from './service.ts'

/** Grantkit on Fastify with its optional features on. */

const SCOPES = { 'notes:read': { description: 'Read your notes' } }
type Api = ResourceServer<keyof typeof SCOPES>

const nobodysPage = () => ({ status: 200, headers: {}, body: '' })
const DEVICE_PAGES = { userCodePage: nobodysPage, devicePage: nobodysPage, deviceAnsweredPage: nobodysPage }

export const start: StartTarget = async (port) => {
  const issuer = `http://127.0.0.1:${port}`
  const [store, keys] = [boundlessStore(), await signingKeys()]
  const accessTokens = jwtAccessTokens({ issuer, keys, resources: { [issuer]: {} } })
  const features = [
    accessTokens.feature,
    clientAssertion(),
    clientCredentials(),
    device({ secret: SECRET, scopes: ['notes:read'], interaction: { ...INTERACTION, ...DEVICE_PAGES } }),
    dpop(),
    pushedAuthorizationRequests(),
  ]
  const service = await openService(issuer, { store, keys, features })
  const proofs = dpopProofs({ secret: SECRET })
  const resource = { resource: issuer, scopes: SCOPES }
  const jwks = JSON.parse((await send(service.server, 'GET', '/api/oauth/jwks', {})).body)
  await serve(service, port, {
    [BOUND]: createResourceServer({ ...resource, store, accessTokens, proofs }),
    [SIGNED]: createJwtResourceServer({ ...resource, issuer, keys: jwks }),
  })
  return { work: await featuresWork(service, issuer) }
}

async function serve({ server }: Service, port: number, apis: Readonly<Record<string, Api>>): Promise<void> {
  const app = fastify()
  await app.register(authorizationServer(server))
  for (const [path, api] of Object.entries(apis)) {
    const readers = protect(api, 'notes:read')
    app.get(path, { preHandler: readers }, async (request) => ({
      owner: readers.auth(request).token.subject,
    }))
  }
  await app.listen({ port, host: '127.0.0.1' })
}
