/** Addresses that a stranger names for this server to ask. A text goes in, the fault of it comes out. Nothing is asked here. */

/** Printable ASCII that RFC 3986 allows in a URI. */
const URI_CHARACTERS = /^[!#-;=?-[\]_a-z~]+$/
const PARTS = /^https:\/\/(?<authority>[^/?#]*)(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/

export interface HttpsParts {
  readonly authority: string
  readonly path: string
  /** With its `?`. */
  readonly query?: string | undefined
  /** With its `#`. */
  readonly fragment?: string | undefined
}

/** The parts of an https address as it is written, or `undefined` for another text. */
export function httpsParts(address: string): HttpsParts | undefined {
  const parts = URI_CHARACTERS.test(address) ? PARTS.exec(address)?.groups : undefined
  return parts && (parts as unknown as HttpsParts)
}

/**
 * Why an address is none of the public internet, validated on the raw text before any parser reads it: a parser takes
 * different spellings for one address, or one spelling for an address inside.
 */
export function publicUrlFault(address: string, issuer: string): string | undefined {
  const { authority, fragment } = httpsParts(address) ?? {}
  if (authority === undefined) return 'is no https address'
  if (fragment !== undefined) return 'has a fragment'
  if (authority.includes('@')) return 'has a user'
  // What is validated here must be what is fetched.
  if (!URL.canParse(address) || new URL(address).href !== address) return 'is not in its normal form'
  return authorityFault(authority, issuer)
}

/** The server does not ask itself. */
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
