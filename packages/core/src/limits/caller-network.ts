/**
 * The IP address in a text, in one spelling: without the port, brackets and zone that proxies add. An IPv4-mapped IPv6
 * address is the IPv4 address, any other IPv6 address has all eight groups.
 *
 * @returns `undefined` for a text that is no address
 */
export function ipAddress(text: string): string | undefined {
  // As a socket has it: nothing is allocated for it.
  if (DOTTED.test(text)) return text
  if (text.length > MAX_LENGTH) return undefined
  const [, inBrackets, beforePort, bare = ''] = SPELLING.exec(text.trim()) ?? []
  const outside = beforePort ?? bare
  if (DOTTED.test(outside)) return outside
  const groups = ipv6Groups((inBrackets ?? outside).replace(/%.*$/, ''))
  if (groups === undefined) return undefined
  return isMapped(groups) ? dotted(groups.slice(6)) : groups.map((group) => group.toString(16)).join(':')
}

/** Four bytes without zeros in front, which some readers take for octal. */
const DOTTED = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** An IPv6 address with a zone, brackets and a port is shorter. */
const MAX_LENGTH = 100

/** In brackets, or without. A port without brackets stands behind a dotted address: behind any other it would be a group. */
const SPELLING = /^(?:\[([^\]]+)\](?::\d{1,5})?|(.*?\.\d+):\d{1,5}|([^[\]]+))$/

/**
 * The caller that an address counts for: an IPv4 address for itself, an IPv6 address for its /64, which is the least that
 * one subscriber gets (RFC 6177 2). It may have a port (`ipAddress`). All texts that are no address count as `unknown`.
 */
export function networkOf(text: string): string {
  return networksOf(text)[0]
}

/**
 * All networks that an address counts for, the narrowest first. Of `2001:db8:1:23f::9` they are `2001:db8:1:23f::/64`,
 * `2001:db8:1:200::/56` and `2001:db8:1::/48`, since a subscriber may have any of them, and a /48 has 65,536 networks /64. The
 * wider ones deserve higher limits.
 */
export function networksOf(text: string): readonly [string, ...string[]] {
  const address = ipAddress(text) ?? 'unknown'
  if (!address.includes(':')) return [address]
  const [a, b, c, d = ''] = address.split(':')
  const site = [a, b, c].join(':')
  const upperByte = (Number.parseInt(d, 16) & 0xff00).toString(16)
  return [`${site}:${d}::/64`, `${site}:${upperByte}::/56`, `${site}::/48`]
}

/** The same for what is kept: of IPv4 the first 24 bits, of IPv6 the first 48. It points at no single person. */
export function coarseNetworkOf(address: string): string {
  return networkOf(address)
    .replace(/\.\d+$/, '.0/24')
    .replace(/:[^:]+::\/64$/, '::/48')
}

/** The eight groups of an IPv6 address. The parser of URLs knows each spelling (RFC 4291 2.2), and writes the shortest. */
function ipv6Groups(text: string): number[] | undefined {
  const url = `http://[${text}]`
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(url)) return undefined
  const [head = '', tail = ''] = new URL(url).hostname.slice(1, -1).split('::')
  const groupsOf = (part: string) => part.split(':').filter((group) => group !== '')
  const [first, last] = [groupsOf(head), groupsOf(tail)]
  const omitted = Array<string>(8 - first.length - last.length).fill('0')
  return [...first, ...omitted, ...last].map((group) => Number.parseInt(group, 16))
}

/** RFC 4291 2.5.5.2 */
const isMapped = (groups: readonly number[]) =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)

const dotted = (groups: readonly number[]) => groups.flatMap((group) => [group >> 8, group & 255]).join('.')
