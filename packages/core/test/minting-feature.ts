import type { Feature } from '@grantkit/core'
import { type Grant, type Kernel, newGrantId, newId, newSecret, sha256 } from '@grantkit/core/feature'
import * as z from 'zod'

export const MINT = 'urn:example:mint'
const HOUR = 3600

/** A grant type of a feature, whose refresh token would outlive its grant. */
export function minting(resource: string): Feature {
  return (server) => ({
    grantTypes: [
      {
        name: MINT,
        message: z.object({}),
        exchange({ client, now }) {
          const accessToken = newSecret(server.random)
          const refreshToken = {
            family: newId(server.random),
            generation: 0,
            secret: newSecret(server.random),
          }
          const grant = grantOf(server, client.clientId, now, { hash: sha256(accessToken), resource })
          const { scopes, resources } = grant
          return {
            grant,
            issued: { accessToken, refreshToken, scopes, resources, expiresIn: HOUR },
            commit: () => server.store.grants.insert(grant.id, grant, grant.expiresAt),
          }
        },
      },
    ],
  })
}

function grantOf(
  { random }: Kernel,
  clientId: string,
  createdAt: number,
  { hash, resource }: { readonly hash: Grant['accessTokens'][number]['hash']; readonly resource: string },
): Grant {
  const extent = { scopes: ['courses:read'], resources: [resource] }
  const expiresAt = createdAt + HOUR
  return {
    ...{
      id: newGrantId(random),
      subject: 'alice',
      clientId,
      ...extent,
      createdAt,
      usedAt: createdAt,
      expiresAt,
    },
    refresh: { familyHash: hash, generation: 0, hash, expiresAt: expiresAt + HOUR },
    accessTokens: [{ hash, ...extent, issuedAt: createdAt, expiresAt, signed: true }],
  }
}
