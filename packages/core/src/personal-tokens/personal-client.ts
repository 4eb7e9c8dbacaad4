import type { ClientSource } from '../clients/client-sources.ts'
import type { Client } from '../kernel/records.ts'

/** The client of all personal access tokens. Generated ids have 32 digits and documents are URLs, so no other client gets it. */
export const PERSONAL_CLIENT_ID = 'personal'

/**
 * It can do nothing: it has no grant type, no redirect URI and no scope. It is public, so whoever holds a personal access token may
 * revoke it (RFC 7009 2.1).
 */
const PERSONAL_CLIENT: Client = {
  clientId: PERSONAL_CLIENT_ID,
  origin: 'integration',
  clientName: 'Personal access token',
  applicationType: 'native',
  redirectUris: [],
  tokenEndpointAuthMethod: 'none',
  grantTypes: [],
  scopes: [],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
}

/** A source and no record: it is there without a write, and no record of this id replaces it. */
export const personalClient: ClientSource = {
  owns: (clientId) => clientId === PERSONAL_CLIENT_ID,
  find: async () => PERSONAL_CLIENT,
}
