/** Checks of the host of a URL: whether it is on the public internet, so that this server may fetch it, or is loopback. */

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

export interface PublicUrlRule {
  /** The issuer of this server, which does not fetch from itself. */
  readonly issuer: string
  /** The ports that are allowed. Default: 443 alone. */
  readonly ports?: readonly number[] | undefined
}

/**
 * Why a URL is not one of the public internet. It checks the raw text before any parser reads it: a parser takes different
 * spellings for one address, or one spelling for a private address. What a name resolves to is for the fetch to check.
 */
export function publicUrlFault(address: string, rule: PublicUrlRule): string | undefined {
  const { authority, fragment } = httpsParts(address) ?? {}
  if (authority === undefined) return 'is no https address'
  if (fragment !== undefined) return 'has a fragment'
  if (authority.includes('@')) return 'has a user'
  // What is checked here must be what is fetched.
  if (!URL.canParse(address) || new URL(address).href !== address) return 'is not in its normal form'
  return authorityFault(authority, rule)
}

/** Names that are not of the public internet (RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476 and ICANN's `.internal`). */
const RESERVED_NAME = /(^|\.)(localhost|local|internal|arpa|test|example|invalid|onion|alt)$/
/** A host whose last label is a number is an IPv4 address to a parser (URL Standard 3.5). */
const IP_LITERAL = /^\[|(^|\.)([0-9]+|0x[0-9a-f]*)\.?$/

function authorityFault(authority: string, { issuer, ports = [443] }: PublicUrlRule): string | undefined {
  const [host = '', port] = authority.split(/:(?=[0-9]+$)/)
  if (!ports.includes(Number(port ?? 443))) return port === undefined ? 'has no port' : 'has a port'
  if (host === new URL(issuer).hostname) return 'is an address of this server'
  if (IP_LITERAL.test(host)) return 'is at an IP address'
  if (host.endsWith('.') || !host.includes('.') || RESERVED_NAME.test(host)) return 'is at no public name'
  return undefined
}

/** Whether nobody on the way can read or change what is sent to a URL and comes back. Plain http stays on this computer, for tests. */
export function isHttpsOrLoopback(url: string): boolean {
  return URL.canParse(url) && (url.startsWith('https://') || isLoopbackUrl(url))
}

const LOOPBACK_HOST = /^((.+\.)?localhost|127(\.[0-9]+){3}|\[::1\])$/

/**
 * Whether a URL leads to the local host, so that plain http is private (RFC 6761 6.3; W3C Secure Contexts 3.1):
 * `http://127.0.0.1:3000` does, `http://localhost.evil.example` does not. A redirect URI is compared more strictly.
 */
export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && LOOPBACK_HOST.test(new URL(url).hostname)
}
