import { OAuthError } from '../../kernel/oauth-error.ts'
import { sameSecret, sha256 } from '../../kernel/secrets.ts'
import { AUTHENTICATION_ERRORS, type ClientAuthMethod } from './client-authentication.ts'

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
