import { createHash, randomUUID } from 'node:crypto'
import type { Client, Grant, GrantId, Hash, Transient } from '@grantkit/core/feature'

/** Any time will do; this one is in 2027 and easy to recognise. */
const CREATED_AT = 1_800_000_000

/** A self-registered native client with a new id each time. */
export function aClient(differences: Partial<Client> = {}): Client {
  return {
    clientId: `client-${randomUUID()}`,
    origin: 'registered',
    clientName: 'A sample client',
    applicationType: 'native',
    redirectUris: ['http://127.0.0.1:7001/callback'],
    tokenEndpointAuthMethod: 'none',
    grantTypes: ['authorization_code', 'refresh_token'],
    idTokenSignedResponseAlg: 'ES256',
    createdAt: CREATED_AT,
    expiresAt: CREATED_AT + 7 * 24 * 60 * 60,
    ...differences,
  }
}

/** An id may be any text. */
type GrantDifferences = Partial<Omit<Grant, 'id'>> & { readonly id?: string }

/** A grant after its first refresh, with a new id and subject each time. */
export function aGrant({ id = randomUUID(), ...differences }: GrantDifferences = {}): Grant {
  const extent = { scopes: ['openid', 'courses:read'], resources: ['https://server.example/api'] }
  const end = CREATED_AT + 180 * 24 * 60 * 60
  return {
    id: id as GrantId,
    subject: `subject-${randomUUID()}`,
    clientId: 'client-sample',
    ...extent,
    redirectUri: 'http://127.0.0.1:7001/callback',
    authTime: CREATED_AT - 30,
    createdAt: CREATED_AT,
    usedAt: CREATED_AT + 40,
    expiresAt: end,
    code: {
      hash: sha256(`code ${id}`),
      challenge: sha256(`verifier ${id}`),
      expiresAt: CREATED_AT + 60,
      redeemedAt: CREATED_AT + 1,
    },
    refresh: {
      familyHash: sha256(`family ${id}`),
      generation: 1,
      hash: sha256(`second ${id}`),
      expiresAt: CREATED_AT + 30 * 24 * 60 * 60,
      previous: {
        hash: sha256(`first ${id}`),
        salt: id,
        keyId: 'key',
        rotatedAt: CREATED_AT + 40,
        ...extent,
      },
    },
    accessTokens: [
      { hash: sha256(`access ${id}`), ...extent, issuedAt: CREATED_AT + 40, expiresAt: CREATED_AT + 3640 },
    ],
    ...differences,
  }
}

/** The mark of a used proof, with a new id each time. */
export function aTransient(differences: Partial<Transient> = {}): Transient {
  return { kind: 'seen', id: `transient-${randomUUID()}`, expiresAt: CREATED_AT + 600, ...differences }
}

function sha256(text: string): Hash {
  return createHash('sha256').update(text).digest('base64url') as Hash
}
