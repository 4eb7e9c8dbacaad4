import { describe, expect, it } from 'vitest'
import { coarseNetworkOf, networkOf } from './caller-network.ts'

describe('the network of a caller', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::2:3:4:5:6', '1:0:0:2::/64'],
    ['1:2::3:4:5:6:7', '1:2:0:3::/64'],
    ['1::ffff:203.0.113.7', '1:0:0:0::/64'],
    ['::ffff:203.0.113.7:1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  it('is short for any input', () => {
    for (const long of ['x'.repeat(10_000), 'f'.repeat(10_000), `${'f:'.repeat(5000)}`, ':'.repeat(10_000)])
      expect(networkOf(long).length).toBeLessThan(300)
  })
})

describe('the network that is kept', () => {
  it.each([
    ['203.0.113.254', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.0/24'],
    ['2001:db8:1:2::9', '2001:db8:1::/48'],
    ['2001:db8:1:abcd::9', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(coarseNetworkOf(address)).toBe(network)
  })
})
