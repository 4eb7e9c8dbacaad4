import type { Registrable } from './clients/client-metadata.ts'
import { type PublicClient, publicClient } from './clients/client-record.ts'
import { type ClientUpdateOptions, clientUpdates } from './clients/client-update.ts'
import {
  addInitialAccessToken,
  type FoundInitialAccessToken,
  findInitialAccessToken,
  type InitialAccessToken,
  type InitialAccessTokenOptions,
  removeInitialAccessToken,
} from './clients/initial-access-token.ts'
import type { StaticClientOptions } from './clients/known-static-clients.ts'
import {
  dropOldSecret,
  type RotatedSecret,
  rotateSecret,
  type SecretRotationOptions,
} from './clients/secret-rotation.ts'
import type { ClientChanges, KnownStaticClient, StaticClient } from './clients/static-client.ts'
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
   * Changes a static client, with the rules of `add`; `null` removes a member. Its grants stay. Scopes that it loses end with
   * the next refresh of a grant, and codes that were sent to a redirect URI that it loses cannot be redeemed.
   *
   * @throws OAuthError that names what is wrong, or `conflict` (409) when the client has changed since it was seen
   */
  update(clientId: string, changes: ClientChanges, options: ClientUpdateOptions): Promise<PublicClient>
  /**
   * Gives a client a new secret, which only this result has. The older one stays valid for `overlap`; then at most two are.
   * Grants and tokens stay.
   *
   * @throws OAuthError `conflict` (409) when two secrets are live, or when the client changes at the same time
   */
  rotateSecret(clientId: string, options?: SecretRotationOptions): Promise<RotatedSecret>
  /** Ends the older secret of a client at once. @returns whether it was live @throws OAuthError `conflict` (409) */
  dropOldSecret(clientId: string): Promise<boolean>
  /**
   * Makes a token with which clients register themselves, where `registration` demands one (RFC 7591 3). Only this result has
   * its text.
   *
   * @throws OAuthError that names the option at fault
   */
  addInitialAccessToken(options: InitialAccessTokenOptions): Promise<InitialAccessToken>
  /** Such a token by its id, with the clients that may still register with it; `undefined` if it has ended. */
  findInitialAccessToken(id: string): Promise<FoundInitialAccessToken | undefined>
  /** Ends a token. Clients that registered with it stay. @returns whether it existed */
  removeInitialAccessToken(id: string): Promise<boolean>
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
    update: clientUpdates(kernel, registrable, options),
    rotateSecret: (clientId, rotation = {}) => rotateSecret(kernel, clientId, rotation),
    dropOldSecret: (clientId) => dropOldSecret(kernel, clientId),
    addInitialAccessToken: (token) => addInitialAccessToken(kernel, token),
    findInitialAccessToken: (id) => findInitialAccessToken(kernel, id),
    removeInitialAccessToken: (id) => removeInitialAccessToken(kernel, id),
    remove: (clientId) => removeClient(kernel, clientId),
  }
}
