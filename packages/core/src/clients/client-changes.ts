/** Changes of a client by its operator. Each is one compare-and-swap: of two at once, one fails. */
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Stored } from '../kernel/store.ts'
import type { PublicClient } from './client-record.ts'

/** Only the operator gets these errors. */
export const CLIENT_CHANGE_ERRORS = defineErrors({
  client_missing: ['not_found', 'There is no such client', 404],
  client_changed_meanwhile: [
    'conflict',
    'The client has changed meanwhile. Read it again, and repeat the change',
    409,
  ],
  client_without_secret: ['conflict', 'This client has no secret', 409],
  two_secrets_live: [
    'conflict',
    'Two secrets of this client are live. Drop the older one first; or replace the new one, if it was lost',
    409,
  ],
})

/** @throws OAuthError `not_found` */
export async function storedClient({ store }: Kernel, clientId: string): Promise<Stored<Client>> {
  const seen = await store.clients.records.find(clientId)
  if (seen === undefined || seen.value.refused) throw new OAuthError(CLIENT_CHANGE_ERRORS.client_missing)
  return seen
}

/** @throws OAuthError `conflict` when the client is another one than was seen */
export async function replaceClient(kernel: Kernel, seen: Stored<Client>, next: Client): Promise<void> {
  const { records } = kernel.store.clients
  if (!(await records.replace(next.clientId, seen, next, next.expiresAt)))
    throw new OAuthError(CLIENT_CHANGE_ERRORS.client_changed_meanwhile)
}

/**
 * Names one state of a client, for the detection of conflicts: it differs after every change.
 *
 * @example
 * ```ts
 * import type { AuthorizationServer } from '@grantkit/core'
 * import { clientRevision } from '@grantkit/core/feature'
 *
 * // The ETag of a client.
 * export async function etagOf({ clients }: AuthorizationServer, clientId: string) {
 *   const client = await clients.find(clientId)
 *   return client && `"${clientRevision(client)}"`
 * }
 * ```
 */
export function clientRevision(client: PublicClient): string {
  return sha256(canonicalJson(client))
}

/** Stores may change the order of members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.keys(member)
            .sort()
            .map((name) => [name, Reflect.get(member, name)]),
        )
      : member,
  )
}
