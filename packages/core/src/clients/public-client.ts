import type { Client } from '../kernel/records.ts'

/** A client as pages, lists and hints get it: without the hash of its secret. */
export type PublicClient = Omit<Client, 'secretHash'> & { readonly secretHash?: undefined }

/**
 * A client without the hash of its secret, for a page or a log.
 *
 * @example
 * ```ts
 * import type { Store } from '@grantkit/core'
 * import { publicClient } from '@grantkit/core/feature'
 *
 * export async function printClients({ clients }: Store): Promise<void> {
 *   for await (const client of clients.scan()) console.log(JSON.stringify(publicClient(client)))
 * }
 * ```
 */
export function publicClient({ secretHash: _, ...shown }: Client): PublicClient {
  return shown
}
