/**
 * Known clients: Claude, ChatGPT, Cursor and others sign in without a registration by the operator, although their redirect URIs
 * are fixed https or private-use addresses. A table has the exact addresses; this module makes a policy for registration and documents from it. Nothing is
 * fetched here, and nothing else of core imports the table.
 *
 * @module
 */

import type { RedirectUriPolicy } from '../clients/redirect-uri-policy.ts'
import type { KnownDocument } from '../features/cimd/fetched-clients.ts'
import { entryFault } from './entry-rules.ts'
import { isOnByDefault, type KnownClient } from './known-client.ts'
import { documentsOf } from './known-documents.ts'
import { type KnownRedirectUriOptions, knownRedirectUris } from './known-redirect-uris.ts'
import { KNOWN_CLIENTS } from './table.ts'

export { CAUTIONS, isOnByDefault, type KnownClient, type KnownClientDocument } from './known-client.ts'
export { KNOWN_CLIENTS } from './table.ts'

/** An entry of the operator's own. */
export type OwnKnownClient = Pick<KnownClient, 'id' | 'name' | 'host' | 'redirectUris'> & Partial<KnownClient>

export interface KnownClientsOptions extends KnownRedirectUriOptions {
  /** The ids of the entries that are on, in place of the default set; empty for none. */
  readonly only?: readonly string[] | undefined
  /** The ids of entries that are off. */
  readonly except?: readonly string[] | undefined
  /** Further entries, which are on. The same rules hold for them. */
  readonly also?: readonly OwnKnownClient[] | undefined
  /**
   * How the documents of the entries are read. `fetch-then-copy`: they are fetched, and the copy of the table serves while their
   * host answers with no document. `copy`: the copies alone. `fetch`: they are fetched alone. Default `fetch-then-copy`.
   */
  readonly documents?: 'fetch-then-copy' | 'copy' | 'fetch' | undefined
}

/** Options of the server and of `clientDocuments`, to be spread into both. Their options `pinned` and `admit` stay the operator's. */
export interface KnownClients {
  readonly redirectUriPolicy: RedirectUriPolicy
  /** The documents of the entries that are on. */
  readonly knownDocuments: readonly KnownDocument[]
  /** Every entry, for `clients.add({ known })`. */
  readonly knownClients: readonly KnownClient[]
  /** The entries that are on. */
  readonly on: readonly KnownClient[]
}

/**
 * Allows known clients to register themselves, or to use their documents, with their exact redirect URIs. Loopback addresses are accepted
 * as by `loopbackOnly`. Default set: the entries for which the vendor itself is the source, without a caution.
 *
 * A client that registers the callback of another one gains nothing: the code goes to the vendor's address. Consent is requested
 * each time, and the consent page names the vendor of the address.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { clientDocuments } from '@grantkit/core/client-documents'
 * import { knownClients } from '@grantkit/core/known-clients'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const known = knownClients({ except: ['v0'] })
 * const features = [clientDocuments({ fetch: safeFetch({ issuer }), ...known })]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, scopes, secret, interaction, features },
 *   ...known,
 * })
 * ```
 */
export function knownClients(options: KnownClientsOptions = {}): KnownClients {
  const own = (options.also ?? []).map(completed)
  checkOwn(own)
  const entries = [...KNOWN_CLIENTS, ...own].filter(isUsable)
  const on = entriesOn(options, own)
  const off = entries.filter((entry) => !on.includes(entry))
  return {
    redirectUriPolicy: knownRedirectUris(on, off, options),
    knownDocuments: documentsOf(on, options.documents),
    knownClients: entries,
    on,
  }
}

function entriesOn({ only, except = [] }: KnownClientsOptions, own: readonly KnownClient[]): KnownClient[] {
  checkIds('only', only ?? [], KNOWN_CLIENTS)
  checkIds('except', except, KNOWN_CLIENTS)
  const chosen = KNOWN_CLIENTS.filter((entry) => only?.includes(entry.id) ?? isOnByDefault(entry))
  const named = [...chosen.filter(({ id }) => !except.includes(id)), ...own]
  for (const { id, removed } of named)
    if (removed !== undefined) console.error(`Grantkit: knownClients: ${id} stays off: ${removed}`)
  return named.filter(isUsable)
}

function isUsable({ removed }: KnownClient): boolean {
  return removed === undefined
}

function checkIds(option: string, ids: readonly string[], entries: readonly KnownClient[]): void {
  const wrong = ids.find((id) => !entries.some((entry) => entry.id === id))
  if (wrong === undefined) return
  const names = entries.map(({ id }) => id).join(', ')
  throw new Error(`knownClients: ${option} names ${JSON.stringify(wrong)}, which is none of ${names}`)
}

function completed(entry: OwnKnownClient): KnownClient {
  const source = 'the operator'
  const missing = { vendor: entry.name, documents: [], formActionHops: [], source, seen: '' }
  return { ...missing, evidence: 'observed', ...entry }
}

/** @throws Error that names the entry and what is wrong with it */
function checkOwn(own: readonly KnownClient[]): void {
  for (const [index, entry] of own.entries()) {
    const others = [...KNOWN_CLIENTS, ...own.slice(0, index)]
    const fault = entryFault(entry, others)
    if (fault !== undefined) throw new Error(`knownClients: also[${index}]: ${fault}`)
  }
}
