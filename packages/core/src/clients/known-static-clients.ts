/** Static clients that the operator registers for a known client: its entry has their name and addresses. */
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { METADATA_ERRORS } from './client-metadata.ts'
import {
  type KnownClientMark,
  knownClientOf,
  type RedirectUriOptions,
  type RedirectUriPolicy,
} from './redirect-uri-policy.ts'
import type { KnownStaticClient, StaticClient } from './static-client.ts'

/** The entry of a known client, as far as `clients.add` reads it. */
type NameableClient = Pick<KnownClientMark, 'id' | 'name'> & {
  readonly redirectUris: readonly string[]
}

export interface StaticClientOptions extends RedirectUriOptions {
  /** The known clients that `clients.add({ known })` may name; `knownClients()` has them. Default: none. */
  readonly knownClients?: readonly NameableClient[] | undefined
}

/** The registration with the members of the entry that it names. @throws OAuthError when no entry has the id */
export function namedIn(
  { knownClients = [] }: StaticClientOptions,
  added: StaticClient | KnownStaticClient,
): { readonly registration: object; readonly knownClient?: string } {
  if (!('known' in added) || added.known === undefined) return { registration: added }
  const { known, redirectUris = [], ...rest } = added
  const entry = knownClients.find(({ id }) => id === known)
  const ids = knownClients.map(({ id }) => id).join(', ')
  if (entry === undefined)
    throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, `known: must be one of ${ids || 'none'}`)
  const uris = [...new Set([...entry.redirectUris, ...redirectUris])]
  return { registration: { clientName: entry.name, ...rest, redirectUris: uris }, knownClient: entry.id }
}

/** The known client that one of the URIs belongs to. */
export function knownAmong(uris: readonly string[], policy: RedirectUriPolicy): string | undefined {
  return uris.map((uri) => knownClientOf(policy([uri]))?.id).find((id) => id !== undefined)
}

/** The known client of a client whose redirect URIs may have changed. */
export function knownAfterChange(
  { knownClients = [] }: StaticClientOptions,
  { knownClient, redirectUris }: Pick<Client, 'knownClient' | 'redirectUris'>,
  policy: RedirectUriPolicy,
): string | undefined {
  const entry = knownClients.find(({ id }) => id === knownClient)
  // Without an entry nothing tells which of the redirect URIs the known client has.
  const stays = entry === undefined || entry.redirectUris.some((uri) => redirectUris.includes(uri))
  return (stays ? knownClient : undefined) ?? knownAmong(redirectUris, policy)
}

/** All users of a vendor share the address, so consent of one user does not apply to another. */
export function checkKnown({
  remember_consent,
  pkce_optional,
}: {
  readonly remember_consent: boolean
  readonly pkce_optional: boolean
}): void {
  const member = remember_consent ? 'rememberConsent' : pkce_optional ? 'pkceOptional' : undefined
  if (member !== undefined)
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      `${member}: not with a redirect URI of a known client, which all users of its vendor share`,
    )
}
