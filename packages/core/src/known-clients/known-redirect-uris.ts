import {
  faultsByPosition,
  type KnownClientMark,
  loopbackFault,
  type RedirectUriPolicy,
} from '../clients/redirect-uri-policy.ts'
import type { KnownClient } from './known-client.ts'

export interface KnownRedirectUriOptions {
  /** If a list has foreign URIs too: keep the accepted ones, or refuse all of it. Default `prune`. */
  readonly mixed?: 'prune' | 'refuse' | undefined
  /** Accept the name `localhost` next to the two IP literals. Default true. */
  readonly localhost?: boolean | undefined
  /** How the operator allows an entry that is off, for the error `known_client_off`. Default: by the option `only`. */
  readonly hint?: ((id: string) => string) | undefined
}

const FOREIGN =
  'neither an address of a known client that is allowed here nor a loopback address such as http://127.0.0.1:8080/callback; a client with an address of its own must be registered by the operator'

/**
 * Accepts loopback addresses, and the exact addresses of one known client.
 *
 * @param on the entries that are allowed
 * @param off the other entries, to name the one that a client would need
 */
export function knownRedirectUris(
  on: readonly KnownClient[],
  off: readonly KnownClient[],
  { mixed = 'prune', localhost = true, hint = namedInOnly }: KnownRedirectUriOptions,
): RedirectUriPolicy {
  return (uris) => {
    const [owner, other] = ownersOf([...on, ...off], uris)
    // Such a list belongs to neither, and the consent page could name only one of them.
    if (owner !== undefined && other !== undefined)
      return { refused: `redirect_uris: some are of ${owner.name} and some of ${other.name}` }
    const entry = owner !== undefined && on.includes(owner) ? owner : undefined
    const faults = uris.map((uri) =>
      entry?.redirectUris.includes(uri) ? undefined : faultOf(uri, localhost),
    )
    const accepted = uris.filter((_, index) => faults[index] === undefined)
    const prune = mixed === 'prune' && accepted.length > 0
    if (prune || accepted.length === uris.length) return { accepted, known: entry && markOf(entry, uris) }
    const refused = faultsByPosition(faults)
    if (owner === undefined || owner === entry) return { refused }
    return { refused, knownClientOff: { id: owner.id, name: owner.name, hint: hint(owner.id) } }
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

function faultOf(uri: string, localhost: boolean): string | undefined {
  return /^http:/i.test(uri) ? loopbackFault(uri, { localhost }) : FOREIGN
}

function markOf({ id, name, host, formActionHops }: KnownClient, uris: readonly string[]): KnownClientMark {
  const hosts = uris.filter((uri) => uri.startsWith('https:')).map((uri) => new URL(uri).hostname)
  return { id, name, host: shownHost(host, hosts), formActionHops }
}

/** The domain of the entry for its subdomains: `cursor.com` for www.cursor.com. Otherwise the host that gets the code. */
function shownHost(host: string, [target = host]: readonly string[]): string {
  return `.${target}`.endsWith(`.${host}`) ? host : target
}
