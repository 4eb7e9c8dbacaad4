import type { ClientAuthMethod } from './client-authentication.ts'
import { clientSecretPost } from './client-secret-post.ts'

/** The same secret in the header (RFC 6749 2.3.1). `basic-credentials.ts` has read it there already. */
export const clientSecretBasic: ClientAuthMethod = {
  ...clientSecretPost,
  name: 'client_secret_basic',
  carrier: 'authorization',
}
