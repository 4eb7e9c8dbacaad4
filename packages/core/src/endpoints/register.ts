import { z } from 'zod'
import { addClient, clientInformation } from '../client-registration.ts'
import { type HttpRequest, type HttpResponse, json, jsonBody, NO_STORE } from '../http.ts'
import { readMessage } from '../message.ts'
import { OAuthError } from '../oauth-error.ts'
import { countRegistration } from '../rate-limits.ts'
import { ClientMetadata } from '../rules/client-metadata.ts'
import type { ServerContext } from '../server-context.ts'
import { withoutSecrets } from '../tokens/token-string.ts'

/** A redirect_uris member that has the wrong shape has an error code of its own (RFC 7591 3.2.2). */
const RedirectUris = z.object({ redirect_uris: ClientMetadata.shape.redirect_uris })

/** The client registration endpoint (RFC 7591 3), open to whatever the redirect URI policy accepts. */
export async function register(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const body = jsonBody(request)
  const { redirect_uris } = readMessage(RedirectUris, body, 'redirect_uri_refused')
  const metadata = readMessage(ClientMetadata, body, 'client_metadata_invalid')
  const verdict = server.redirectUris(redirect_uris)
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
  return json(201, clientInformation(registered), NO_STORE)
}
