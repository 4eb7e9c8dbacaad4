/**
 * The caller that an address counts for: an IPv4 address for itself, an IPv6 address for its /64, which is what one
 * subscriber gets (RFC 6177 2). Any other text counts for itself.
 *
 * @example
 * ```ts
 * import { networkOf } from '@grantkit/core/feature'
 *
 * networkOf('203.0.113.9') // '203.0.113.9'
 * networkOf('2001:db8:1:2::9') // '2001:db8:1:2::/64'
 * ```
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%')
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  return bare.includes(':') ? `${ipv6Groups(bare).slice(0, 4).join(':')}::/64` : bare.slice(0, 100)
}

/**
 * The same for what is kept: of IPv4 the first 24 bits, of IPv6 the first 48. It points at no single person.
 *
 * @example
 * ```ts
 * import { coarseNetworkOf } from '@grantkit/core/feature'
 *
 * coarseNetworkOf('203.0.113.9') // '203.0.113.0/24'
 * coarseNetworkOf('2001:db8:1:2::9') // '2001:db8:1::/48'
 * ```
 */
export function coarseNetworkOf(address: string): string {
  return networkOf(address)
    .replace(/\.\d+$/, '.0/24')
    .replace(/:[^:]+::\/64$/, '::/48')
}

/** The groups of an IPv6 address, with `::` expanded (RFC 4291 2.2). */
function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const groups = [...(first ?? [])]
  if (tail !== undefined) {
    const omitted = Math.max(0, 8 - groups.length - (last ?? []).length)
    groups.push(...Array<string>(omitted).fill('0'), ...(last ?? []))
  }
  return groups.map((group) => Number.parseInt(group, 16).toString(16))
}
