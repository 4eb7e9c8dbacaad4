import { z } from 'zod'
import { authenticatedClient } from '../authenticated-client.ts'
import { changeGrant, type GrantAhead, readAhead } from '../grant-change.ts'
import { formParameters, type HttpRequest, type HttpResponse, json } from '../http.ts'
import { readMessage } from '../message.ts'
import { OAuthError } from '../oauth-error.ts'
import {
  belongsToFamily,
  findAccessToken,
  type Outcome,
  refused,
  withoutAccessToken,
} from '../rules/grant.ts'
import type { ServerContext } from '../server-context.ts'
import type { Client, Grant } from '../store.ts'
import {
  type GrantSecret,
  parseAccessToken,
  parseRefreshToken,
  type RefreshToken,
} from '../tokens/token-string.ts'

/** RFC 7009 2.1. A wrong token_type_hint changes nothing, as a token shows what it is, so it is not even read. */
export const RevocationRequest = z.object({ token: z.string() })

/** The revocation endpoint (RFC 7009): a token that is already dead is a success too. */
export async function revoke(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const form = formParameters(request)
  const { token } = readMessage(RevocationRequest, form)
  const ahead = readAhead(server, token)
  const client = await authenticatedClient(server, request, form)
  const access = parseAccessToken(token)
  if (access !== undefined) await revokeAccessToken(server, client, access, ahead)
  const refresh = parseRefreshToken(token)
  if (refresh !== undefined) await revokeFamily(server, client, refresh, ahead)
  // An empty JSON object: the one body that every client library tried can read.
  return json(200, {})
}

/** Takes the one access token out of its grant; the refresh token stays. */
async function revokeAccessToken(
  server: ServerContext,
  client: Client,
  token: GrantSecret,
  ahead?: GrantAhead,
): Promise<void> {
  const revocation = (grant: Grant): Outcome<undefined> => {
    const live = findAccessToken(grant, token.secret, server.now()) !== undefined
    if (!live) return { kind: 'unchanged', grant, result: undefined }
    if (grant.clientId !== client.clientId) return refused('token_of_other_client')
    return { kind: 'changed', grant: withoutAccessToken(grant, token.secret), result: undefined }
  }
  const outcome = await changeGrant(server, token.grantId, revocation, ahead)
  if (outcome?.kind === 'refused') throw new OAuthError(outcome.reason)
  if (outcome?.kind === 'changed') {
    server.onEvent({ type: 'access_token_revoked', grantId: token.grantId, clientId: client.clientId })
  }
}

/** Ends the whole grant (RFC 7009 2.1), also for a token that was rotated meanwhile: the user wants out. */
async function revokeFamily(
  server: ServerContext,
  client: Client,
  token: RefreshToken,
  ahead?: GrantAhead,
): Promise<void> {
  const grant = (await ahead?.found)?.value
  if (grant === undefined || !belongsToFamily(grant, token)) return
  if (grant.clientId !== client.clientId) throw new OAuthError('token_of_other_client')
  await server.store.grants.remove(grant.id)
  server.onEvent({ type: 'grant_revoked', grantId: grant.id, clientId: client.clientId, by: 'client' })
}
