import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

/** First and last address of every range of IANA's special-purpose registries, and what is known to be inside. */
const SPECIAL = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  'private use': [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.0',
    '192.168.255.255',
  ],
  'shared space': ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  'link local': ['169.254.0.0', '169.254.169.254', '169.254.255.255', 'fe80::1', 'febf::1'],
  'protocol assignments': ['192.0.0.0', '192.0.0.8', '192.0.0.170', '192.0.0.192', '192.0.0.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  'AS112 and AMT': [
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '2620:4f:8000::1',
    '2001:4:112::1',
    '2001:3::1',
  ],
  '6to4': ['192.88.99.1', '2002:7f00:1::', '2002:808:808::1'],
  benchmarks: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255'],
  Azure: ['168.63.129.16'],
  unspecified: ['::', '0.0.0.0'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8', '::a00:1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:a00:1'],
  'IPv4-translated': ['::ffff:0:7f00:1'],
  NAT64: ['64:ff9b::a9fe:a9fe', '64:ff9b::169.254.169.254', '64:ff9b::808:808', '64:ff9b:1::1'],
  discard: ['100::1', '100:0:0:1::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  anycast: ['2001:1::1', '2001:1::2', '2001:1::3'],
  'ORCHID and DRIP': ['2001:10::1', '2001:20::1', '2001:30::1', '2001:1ff:ffff::1'],
  'segment routing': ['5f00::1'],
  'unique local': ['fc00::1', 'fd00:ec2::254', 'fd20:ce::254', 'fdff::1'],
  'site local': ['fec0::1'],
  unassigned: ['4000::1', '8000::1', '1fff::1'],
  zones: ['fe80::1%eth0', 'fe80::1%1', '2606:4700:4700::1111%eth0'],
  'no address': [
    '',
    'x',
    '1.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '[::1]',
    ' 8.8.8.8',
  ],
}

/** The neighbours of the ranges above, and some of the internet's own. */
const PUBLIC = [
  ...[
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...[
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.88.98.255',
  ],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0'],
  ...['203.0.112.255', '203.0.114.0', '223.255.255.255', '168.63.129.15', '168.63.129.17', '8.8.8.8'],
  ...[
    '2606:4700:4700::1111',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2400::1',
    '2620:fe::fe',
    '2A00:1450::1',
  ],
]

describe('a public address', () => {
  it.each(Object.entries(SPECIAL))('is none of %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })

  it('is every neighbour of the special ones', () => {
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([])
  })

  it('is no IPv4 address within an IPv6 address, whichever it is', () => {
    const wrapped = fc.ipV4().chain((ip) => fc.constantFrom(`::ffff:${ip}`, `::${ip}`, `64:ff9b::${ip}`))
    fc.assert(fc.property(wrapped, (address) => !isPublicAddress(address)))
  })
})
