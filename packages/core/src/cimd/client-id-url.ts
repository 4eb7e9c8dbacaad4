/**
 * Client identifiers that are the address of a document (draft-ietf-oauth-client-id-metadata-document 3). A `client_id`
 * goes in as it was sent, the fault of it comes out. Nothing is fetched, decoded or rewritten here.
 */
import { LONGEST_CLIENT_ID } from '../clients/client-sources.ts'
import type { Kernel } from '../kernel/kernel.ts'

/** Printable ASCII that RFC 3986 allows in a URI. */
const URI_CHARACTERS = /^[!#-;=?-[\]_a-z~]+$/
const PARTS = /^https:\/\/(?<authority>[^/?#]*)(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i

/**
 * The fault of a document's address, judged on the raw text before any parser reads it: a parser takes different
 * spellings for one address, or one spelling for an address inside.
 */
export function clientIdUrlFault(clientId: string, { issuer }: Pick<Kernel, 'issuer'>): string | undefined {
  if (clientId.length > LONGEST_CLIENT_ID) return `is longer than ${LONGEST_CLIENT_ID} characters`
  const { authority, path, query, fragment } = PARTS.exec(clientId)?.groups ?? {}
  if (authority === undefined || path === undefined || !URI_CHARACTERS.test(clientId))
    return 'is no https address'
  if (fragment !== undefined) return 'has a fragment'
  if (query !== undefined) return 'has a query'
  if (path === '' || path === '/') return 'has no path'
  if (DOT_SEGMENT.test(path)) return 'has a dot segment'
  if (authority.includes('@')) return 'has a user'
  // What is judged here must be what is fetched.
  if (!URL.canParse(clientId) || new URL(clientId).href !== clientId) return 'is not in its normal form'
  return authorityFault(authority, issuer)
}

/** The server itself is no client. */
function authorityFault(host: string, issuer: string): string | undefined {
  if (/:[0-9]+$/.test(host)) return 'has a port'
  if (host === new URL(issuer).hostname) return 'is an address of this server'
  return hostFault(host)
}

/** Names that are not of the public internet (RFC 6761, RFC 6762, RFC 7686, RFC 8375 and ICANN's `.internal`). */
const RESERVED_NAME = /(^|\.)(localhost|local|internal|home\.arpa|test|example|invalid|onion|arpa)$/
/** A host whose last label is a number is an IPv4 address to a parser (URL Standard 3.5). */
const IP_LITERAL = /^\[|(^|\.)([0-9]+|0x[0-9a-f]*)\.?$/

function hostFault(host: string): string | undefined {
  if (IP_LITERAL.test(host)) return 'is at an IP address'
  if (host.endsWith('.') || !host.includes('.') || RESERVED_NAME.test(host)) return 'is at no public name'
  return undefined
}
