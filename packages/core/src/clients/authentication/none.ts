import type { ClientAuthMethod } from './client-authentication.ts'

/** A public client only names itself (RFC 6749 2.1). Its security rests on PKCE and its redirect URIs. */
export const none: ClientAuthMethod = {
  name: 'none',
  selfRegistered: true,
  ofDocument: () => ({}),
  read: (_request, { client_id }) => ({ clientId: client_id, verify: () => true }),
}
