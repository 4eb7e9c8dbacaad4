import { OAuthError } from '../../kernel/oauth-error.ts'
import { sameSecret, sha256 } from '../../kernel/secrets.ts'
import { AUTHENTICATION_ERRORS, type ClientAuthMethod } from './client-authentication.ts'

/** A public client only names itself (RFC 6749 2.1). Its security rests on PKCE and its redirect URIs. */
export const none: ClientAuthMethod = {
  name: 'none',
  selfRegistered: true,
  ofDocument: () => ({}),
  read: (_request, { client_id }) => ({ clientId: client_id, verify: () => true }),
}

/** The secret in the form (RFC 6749 2.3.1). */
export const clientSecretPost: ClientAuthMethod = {
  name: 'client_secret_post',
  carrier: 'client_secret',
  usesSecret: true,
  selfRegistered: true,
  read(_request, { client_id, client_secret }) {
    if (client_secret === undefined) return undefined
    return {
      clientId: client_id,
      verify({ secretHash }) {
        if (secretHash === undefined || !sameSecret(sha256(client_secret), secretHash))
          throw new OAuthError(AUTHENTICATION_ERRORS.client_secret_wrong)
        return true
      },
    }
  },
}

/** The same secret in the header (RFC 6749 2.3.1), which `basic-credentials.ts` has read already. */
const clientSecretBasic: ClientAuthMethod = {
  ...clientSecretPost,
  name: 'client_secret_basic',
  carrier: 'authorization',
}

const METHODS = {
  none,
  client_secret_post: clientSecretPost,
  client_secret_basic: clientSecretBasic,
} as const

export interface ClientAuthenticationOptions {
  /**
   * The authentication methods of clients; features may add others. A client with a secret may send it by any method in this
   * list. Default: all three, because a server that issues secrets must accept them by Basic (RFC 6749 2.3.1).
   */
  readonly clientAuthentication?: readonly (keyof typeof METHODS)[] | undefined
}

/** The methods that the options name. @throws Error that names an unknown one */
export function standardMethods({ clientAuthentication }: ClientAuthenticationOptions): {
  clientAuthMethods: ClientAuthMethod[]
} {
  const known = Object.keys(METHODS)
  const unknown = clientAuthentication?.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`clientAuthentication: ${unknown} must be one of ${known.join(', ')}`)
  const all = Object.values(METHODS)
  return {
    clientAuthMethods: all.filter(({ name }) => clientAuthentication?.some((one) => one === name) ?? true),
  }
}
