import { addClient, clientInformation } from '../client-registration.ts'
import { type HttpRequest, type HttpResponse, json, jsonBody } from '../http.ts'
import { readMessage } from '../message.ts'
import { OAuthError, type Reason } from '../oauth-error.ts'
import { countRegistration } from '../rate-limits.ts'
import { ClientMetadata } from '../rules/client-metadata.ts'
import type { ServerContext } from '../server-context.ts'
import { withoutSecrets } from '../tokens/token-string.ts'

/** The client registration endpoint (RFC 7591 3), open to whatever the redirect URI policy accepts. */
export async function register(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const metadata = readMessage(ClientMetadata, jsonBody(request), reasonOf)
  const verdict = server.redirectUris(metadata.redirect_uris)
  if ('refused' in verdict) throw new OAuthError('redirect_uri_refused', verdict.refused)
  // Last, so that whoever gets its metadata wrong may try again.
  await countRegistration(server, request)
  const registered = await addClient(server, metadata, {
    origin: 'registered',
    redirectUris: verdict.accepted,
    expiresAt: server.now() + server.lifetimes.unusedClient,
  })
  const { clientId, clientName } = registered.client
  server.onEvent({
    type: 'client_registered',
    clientId,
    clientName: clientName && withoutSecrets(clientName),
  })
  return json(201, clientInformation(registered))
}

/** Redirect URIs of the wrong shape have an error code of their own (RFC 7591 3.2.2). */
function reasonOf(member: string): Reason {
  return member === 'redirect_uris' ? 'redirect_uri_refused' : 'client_metadata_invalid'
}
