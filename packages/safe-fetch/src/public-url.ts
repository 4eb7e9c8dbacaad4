import { isIP } from 'node:net'
import { FetchFailure } from './fetch-failure.ts'

/** Names that are not of the public internet (RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476 and ICANN's `.internal`). */
const RESERVED_NAME = /(^|\.)(localhost|local|internal|home\.arpa|arpa|test|example|invalid|onion|alt)$/

export interface PublicUrlRule {
  /** The issuer of the server: it does not ask itself. */
  readonly issuer: string
  /** The ports that may be asked. */
  readonly ports: readonly number[]
}

/**
 * The parsed address, if a public host can be behind it. It must be spelled as the parser would spell it: what is judged
 * here is then what is fetched.
 *
 * @throws FetchFailure with the fault, before anything is looked up
 */
export function publicUrl(address: string, rule: PublicUrlRule): URL {
  if (!URL.canParse(address) || new URL(address).href !== address)
    throw new FetchFailure('address', 'The address is not in its normal form')
  const url = new URL(address)
  const fault = urlFault(url, address) ?? hostFault(url.hostname, rule) ?? portFault(url, rule)
  if (fault !== undefined) throw new FetchFailure('address', `The address ${fault}`)
  return url
}

export function portOf(url: URL): number {
  return Number(url.port || 443)
}

function urlFault({ protocol, username, password }: URL, address: string): string | undefined {
  if (protocol !== 'https:') return 'is no https address'
  if (username !== '' || password !== '') return 'has a user'
  return address.includes('#') ? 'has a fragment' : undefined
}

function hostFault(host: string, { issuer }: PublicUrlRule): string | undefined {
  if (host === new URL(issuer).hostname) return 'is one of this server'
  if (host.startsWith('[') || isIP(host) !== 0) return 'has an IP address for a name'
  const isPublic = host.includes('.') && !host.endsWith('.') && !RESERVED_NAME.test(host)
  return isPublic ? undefined : 'has no public name'
}

function portFault(url: URL, { ports }: PublicUrlRule): string | undefined {
  return ports.includes(portOf(url)) ? undefined : `has port ${portOf(url)}, which is not allowed`
}
