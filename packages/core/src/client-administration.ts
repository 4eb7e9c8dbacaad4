import type { Registrable } from './clients/client-metadata.ts'
import { type PublicClient, publicClient } from './clients/client-record.ts'
import type { StaticClientOptions } from './clients/known-static-clients.ts'
import type { KnownStaticClient, StaticClient } from './clients/static-client.ts'
import { type AddedClient, staticClients } from './clients/static-clients.ts'
import { type ClientRemoval, removeClient } from './grants/client-removal.ts'
import type { Kernel } from './kernel/kernel.ts'

/** The clients of a server, for its operator. */
export interface ClientAdministration {
  /**
   * Registers a static client, which may have fixed https redirect URIs, or the redirect URIs of a known client. Only this result has the secret.
   *
   * @throws OAuthError that names what is wrong with the metadata
   */
  add(registration: StaticClient | KnownStaticClient): Promise<AddedClient>
  /** The client with this id: a static one, a self-registered one, or one that a document describes. */
  find(clientId: string): Promise<PublicClient | undefined>
  /** The static clients, the oldest first. Reads every client. */
  list(): Promise<PublicClient[]>
  /**
   * Removes a client, and ends its grants with all their tokens. Reads every grant. If it fails halfway, call it again to
   * finish. A client whose document is fetched stays removed.
   */
  remove(clientId: string): Promise<ClientRemoval>
}

/** @param registrable the client metadata that an operator may register */
export function clientAdministration(
  kernel: Kernel,
  registrable: Registrable,
  options: StaticClientOptions,
): ClientAdministration {
  const { add, list } = staticClients(kernel, registrable, options)
  return {
    add,
    list,
    async find(clientId) {
      const client = await kernel.store.clients.find(clientId)
      return client && publicClient(client)
    },
    remove: (clientId) => removeClient(kernel, clientId),
  }
}
