/**
 * Known clients: Claude, ChatGPT, Cursor and others sign in without a registration by the operator, although their redirect URIs
 * are fixed https or private-use addresses. A table has the exact addresses; this module makes a policy for registration and documents from it. Nothing is
 * fetched here, and no server needs the table.
 *
 * @module
 */
import type { KnownDocument } from '@grantkit/core/client-documents'
import { loopbackAnd, type RedirectUriPolicy } from '@grantkit/core/feature'
import { ASSISTANTS, BUILDERS, EDITORS } from './hosted-clients.ts'
import { entryFault, isOnByDefault, type KnownClient } from './known-client.ts'
import { COMMAND_LINE_AGENTS, DESKTOP_APPS } from './local-clients.ts'

export { CAUTIONS, isOnByDefault, type KnownClient, type KnownClientDocument } from './known-client.ts'

/**
 * Clients that many users have, with the exact addresses they use. Addresses with a part for each user, tenant or connector are
 * not in it: register such a client with `clients.add`.
 *
 * @example
 * ```ts
 * import { KNOWN_CLIENTS } from '@grantkit/known-clients'
 *
 * for (const { id, redirectUris } of KNOWN_CLIENTS) console.log(id, ...redirectUris)
 * ```
 */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  ...ASSISTANTS,
  ...EDITORS,
  ...COMMAND_LINE_AGENTS,
  ...DESKTOP_APPS,
  ...BUILDERS,
]

/** An entry of the operator's own. */
export type OwnKnownClient = Pick<KnownClient, 'id' | 'name' | 'host' | 'redirectUris'> & Partial<KnownClient>

export interface KnownClientsOptions {
  /** The ids of the entries that are on, and `on` for the default set; empty for none. Default: `['on']`. */
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
  /** If a list has foreign URIs too: keep the accepted ones, or refuse all of it. Default `prune`. */
  readonly mixed?: 'prune' | 'refuse' | undefined
  /** Accept the name `localhost` next to the two IP literals. Default true. */
  readonly localhost?: boolean | undefined
  /** How the operator allows an entry that is off, for the error `known_client_off`. Default: by the option `only`. */
  readonly hint?: ((id: string) => string) | undefined
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
 * import { knownClients } from '@grantkit/known-clients'
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

function entriesOn(
  { only = ['on'], except = [] }: KnownClientsOptions,
  own: readonly KnownClient[],
): KnownClient[] {
  const ids = only.filter((id) => id !== 'on')
  checkIds('only', ids, KNOWN_CLIENTS)
  checkIds('except', except, KNOWN_CLIENTS)
  const usual = ids.length < only.length
  const chosen = KNOWN_CLIENTS.filter((entry) => ids.includes(entry.id) || (usual && isOnByDefault(entry)))
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

/** @param reading how the documents are read; see the option `documents` */
function documentsOf(
  entries: readonly KnownClient[],
  reading: KnownClientsOptions['documents'] = 'fetch-then-copy',
): KnownDocument[] {
  return entries.flatMap(({ id: knownClient, documents }) =>
    documents.map(({ url, json: members, seen }) => {
      if (members === undefined || reading === 'fetch') return { url, knownClient }
      const copy = { members, seen: Date.parse(seen) / 1000 }
      return { url, knownClient, copy, pinned: reading === 'copy' }
    }),
  )
}

const FOREIGN =
  'neither an address of a known client that is allowed here nor a loopback address such as http://127.0.0.1:8080/callback; a client with an address of its own must be registered by the operator'

/**
 * Accepts loopback addresses, and the exact addresses of one known client.
 *
 * @param on the entries that are allowed
 * @param off the other entries, to name the one that a client would need
 */
function knownRedirectUris(
  on: readonly KnownClient[],
  off: readonly KnownClient[],
  { mixed, localhost, hint = namedInOnly }: KnownClientsOptions,
): RedirectUriPolicy {
  return (uris) => {
    const [owner, other] = ownersOf([...on, ...off], uris)
    // Such a list belongs to neither, and the consent page could name only one of them.
    if (owner !== undefined && other !== undefined)
      return { refused: `redirect_uris: some are of ${owner.name} and some of ${other.name}` }
    const entry = owner !== undefined && on.includes(owner) ? owner : undefined
    const foreign = (uri: string) => (entry?.redirectUris.includes(uri) ? undefined : FOREIGN)
    const verdict = loopbackAnd(foreign, { mixed, localhost })(uris)
    if ('accepted' in verdict) return { ...verdict, owner: entry && shownOwner(entry, uris) }
    if (owner === undefined || owner === entry) return verdict
    return { ...verdict, ownerOff: { id: owner.id, name: owner.name, hint: hint(owner.id) } }
  }
}

/** Names the other ids too: the option has all entries that are on. */
function namedInOnly(id: string): string {
  return `knownClients({ only: [..., '${id}'] })`
}

/** By bytes: a URL parser would treat different URIs as equal. */
function ownersOf(entries: readonly KnownClient[], uris: readonly string[]): readonly KnownClient[] {
  const owners = uris.map((uri) => entries.find(({ redirectUris }) => redirectUris.includes(uri)))
  return [...new Set(owners.filter((owner) => owner !== undefined))]
}

function shownOwner({ id, name, host, formActionHops }: KnownClient, uris: readonly string[]) {
  const hosts = uris.filter((uri) => uri.startsWith('https:')).map((uri) => new URL(uri).hostname)
  return { id, name, host: shownHost(host, hosts), formActionHops }
}

/** The domain of the entry for its subdomains: `cursor.com` for www.cursor.com. Otherwise the host that gets the code. */
function shownHost(host: string, [target = host]: readonly string[]): string {
  return `.${target}`.endsWith(`.${host}`) ? host : target
}
