import { findClient } from './client-lookup.ts'
import { type HttpRequest, header, type Parameters } from './http.ts'
import { readMessage } from './message.ts'
import { OAuthError } from './oauth-error.ts'
import { ClientCredentials, clientAuthenticationFault } from './rules/client-authentication.ts'
import type { ServerContext } from './server-context.ts'
import type { Client } from './store.ts'

/** Stands in for a client that is not there: no secret has this hash. */
const NOBODY = { tokenEndpointAuthMethod: 'client_secret_post', secretHash: '-'.repeat(43) } as const

/** The client that sent this form (RFC 6749 2.3.1, 3.2.1). @throws OAuthError `invalid_client` */
export async function authenticatedClient(
  server: ServerContext,
  request: HttpRequest,
  form: Parameters,
): Promise<Client> {
  const credentials = readMessage(ClientCredentials, form)
  if (credentials.client_id === undefined) throw new OAuthError('client_not_identified')
  const client = await findClient(server, credentials.client_id)
  // Compared before anything is said, or the time of the refusal would tell who is a client.
  const fault = clientAuthenticationFault(client ?? NOBODY, credentials, header(request, 'authorization'))
  if (client === undefined) throw new OAuthError('client_unknown')
  if (fault !== undefined) throw new OAuthError(fault)
  return client
}
