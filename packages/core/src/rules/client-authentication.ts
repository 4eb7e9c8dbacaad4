import { z } from 'zod'
import { text } from '../message.ts'
import type { Reason } from '../oauth-error.ts'
import { sameSecret, sha256 } from '../secrets.ts'
import type { Client } from '../store.ts'

/** The parameters a client identifies itself with at the token, revocation and introspection endpoints. */
export const ClientCredentials = z.object({
  client_id: text(200).optional(),
  client_secret: text(200).optional(),
  client_assertion: z.string().optional(),
  client_assertion_type: z.string().optional(),
})
export type ClientCredentials = z.infer<typeof ClientCredentials>

/** Whether a client proved who it is, by exactly the method it is registered for (RFC 6749 2.3). */
export function clientAuthenticationFault(
  client: Pick<Client, 'tokenEndpointAuthMethod' | 'secretHash'>,
  credentials: ClientCredentials,
  authorization: string | undefined,
): Reason | undefined {
  // A method that is not offered must not be taken for none.
  const foreign = authorization ?? credentials.client_assertion ?? credentials.client_assertion_type
  if (foreign !== undefined) return 'client_auth_method_mismatch'
  const secret = credentials.client_secret
  if (client.tokenEndpointAuthMethod === 'none')
    return secret === undefined ? undefined : 'client_auth_method_mismatch'
  if (secret === undefined || client.secretHash === undefined) return 'client_auth_method_mismatch'
  return sameSecret(sha256(secret), client.secretHash) ? undefined : 'client_secret_wrong'
}
