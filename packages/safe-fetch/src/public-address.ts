import { BlockList, isIP } from 'node:net'

/** IANA's special-purpose registry for IPv4 (RFC 6890), multicast and class E. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // A public number with an internal route: the wire server of virtual machines in Azure.
  '168.63.129.16/32',
]

/** All addresses that IANA assigns for the public internet. IPv4 in IPv6 (mapped, compatible, NAT64) lies outside. */
const GLOBAL_IPV6 = ['2000::/3']

/** IANA's special-purpose registry for IPv6, where it lies in `GLOBAL_IPV6`: Teredo and 6to4 among it. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const specialIpv4 = rangesOf(SPECIAL_IPV4, 'ipv4')
const globalIpv6 = rangesOf(GLOBAL_IPV6, 'ipv6')
const specialIpv6 = rangesOf(SPECIAL_IPV6, 'ipv6')

/** Whether this is an address on the public internet. `false` for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !specialIpv4.check(address, 'ipv4')
  // A zone belongs to addresses of one link.
  if (isIP(address) !== 6 || address.includes('%')) return false
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
}

function rangesOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}
