import type { ClientAuthMethod } from './client-authentication.ts'

/** A public client names itself and proves nothing (RFC 6749 2.1): what it may do rests on PKCE and its redirect URIs. */
export const none: ClientAuthMethod = {
  name: 'none',
  read: (_request, { client_id }) => ({ clientId: client_id, verify: () => {} }),
}
