import * as z from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import { endpointPath, type PathOptions } from '../http/endpoint.ts'
import { json } from '../http/http.ts'
import { readMessage } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import {
  type AccessTokenFormat,
  type PresentedToken,
  parseRefreshToken,
  type RefreshToken,
} from '../tokens/credential.ts'
import {
  changeGrant,
  endGrant,
  type GrantRevoked,
  type PrefetchedGrant,
  prefetch,
  presentedRecords,
} from './change-grant.ts'
import { findAccessToken, holderOf, type Outcome, withoutAccessToken } from './grant.ts'
import { belongsToFamily } from './refresh-token-state.ts'

export const REVOCATION_ERRORS = defineErrors({
  token_of_other_client: [
    'invalid_grant',
    'The token was not issued to this client. Send only its own tokens',
  ],
})

/** RFC 7009 2.1. `token_type_hint` is not read: the token itself shows its type. */
const RevocationRequest = z.object({ token: z.string() })

export type RevocationOptions = PathOptions<'revoke'>

/** A client revoked one access token (RFC 7009). */
export interface AccessTokenRevoked {
  readonly type: 'access_token_revoked'
  readonly grantId: string
  readonly clientId: string
}

/** The revocation endpoint (RFC 7009). Revoking a dead token succeeds too. */
export function revocation(
  kernel: Kernel,
  { paths }: RevocationOptions,
  accessTokens: AccessTokenFormat,
): { clientEndpoints: ClientEndpoint[] } {
  const revoke: ClientEndpoint = {
    path: endpointPath('revoke', paths?.revoke, '/api/oauth/revoke'),
    metadataName: 'revocation_endpoint',
    listsAuthMethods: true,
    summary: 'Revoke an access token or a refresh token (RFC 7009)',
    message: RevocationRequest,
    recordsOf: ({ token }) => presentedRecords(kernel.store, token, accessTokens),
    begin(form) {
      const { token } = readMessage(RevocationRequest, form)
      const prefetched = prefetch(kernel.store, token, accessTokens)
      return async (client) => {
        const access = await accessTokens.read(token)
        if (access !== undefined) await revokeAccessToken(kernel, client, access, prefetched)
        const refresh = parseRefreshToken(token)
        if (refresh !== undefined) await revokeFamily(kernel, client, refresh, prefetched)
        // An empty JSON object: the only body that every tested client library can read.
        return json(200, {})
      }
    },
  }
  return { clientEndpoints: [revoke] }
}

/** Removes one access token; the refresh token stays. */
async function revokeAccessToken(
  kernel: Kernel,
  { clientId }: Client,
  { grantId, hash }: PresentedToken,
  prefetched?: PrefetchedGrant,
): Promise<void> {
  const transition = (grant: Grant): Outcome<undefined> => {
    const live = findAccessToken(grant, hash, kernel.now())
    if (live === undefined) return { kind: 'unchanged', grant, result: undefined }
    if (holderOf(grant, live) !== clientId) throw new OAuthError(REVOCATION_ERRORS.token_of_other_client)
    return { kind: 'changed', grant: withoutAccessToken(grant, hash), result: undefined }
  }
  const outcome = await changeGrant(kernel, grantId, transition, prefetched)
  if (outcome?.kind === 'changed')
    kernel.emit({ type: 'access_token_revoked', grantId, clientId } satisfies AccessTokenRevoked)
}

/** Ends the whole grant (RFC 7009 2.1), even if the token was rotated in the meantime: the user wants to end the access. */
async function revokeFamily(
  kernel: Kernel,
  { clientId }: Client,
  token: RefreshToken,
  prefetched?: PrefetchedGrant,
): Promise<void> {
  const stored = await prefetched?.found
  if (stored === undefined || !belongsToFamily(stored.value, token)) return
  const { id: grantId, clientId: owner, subject } = stored.value
  if (owner !== clientId) throw new OAuthError(REVOCATION_ERRORS.token_of_other_client)
  if (await endGrant(kernel, stored, { by: 'client' }))
    kernel.emit({ type: 'grant_revoked', grantId, clientId, subject, by: 'client' } satisfies GrantRevoked)
}
