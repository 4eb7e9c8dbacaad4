import { describe, expect, test } from 'vitest'
import { HostRefused, hostGate, reachOf } from './hosts.ts'

/** A resolver with one name. */
const resolving =
  (...addresses: readonly string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('the host gate', () => {
  test('lets loopback through without an option', async () => {
    const gate = hostGate({}, resolving('127.0.0.1', '::1'))
    expect(await gate(new URL('http://localhost:3000'))).toEqual({
      address: '127.0.0.1',
      family: 4,
      reach: 'loopback',
    })
  })

  test('judges every address of a name, not only the first', async () => {
    const gate = hostGate({}, resolving('127.0.0.1', '203.0.113.9'))
    await expect(gate(new URL('http://mixed.example'))).rejects.toThrow('mixed.example is a public host')
  })

  test('keeps the address that it judged, whatever the name says later', async () => {
    let calls = 0
    const gate = hostGate({}, async () => [
      { address: calls++ === 0 ? '127.0.0.1' : '203.0.113.9', family: 4 },
    ])
    await gate(new URL('http://moving.example'))
    expect((await gate(new URL('http://moving.example/token'))).address).toBe('127.0.0.1')
  })

  test('lets a private network through with its option alone', async () => {
    const url = new URL('http://10.1.2.3')
    await expect(hostGate({})(url)).rejects.toThrow('Allow it with --private')
    expect((await hostGate({ private: true })(url)).reach).toBe('private')
  })

  test('lets a public host through by its exact name alone', async () => {
    const rules = { private: true, owned: ['auth.example'] }
    const gate = hostGate(rules, resolving('203.0.113.9'))
    expect((await gate(new URL('https://auth.example'))).reach).toBe('public')
    await expect(gate(new URL('https://sub.auth.example'))).rejects.toThrow(HostRefused)
  })

  test('never lets the address of cloud metadata through', async () => {
    const rules = { private: true, owned: ['metadata.example'] }
    const gate = hostGate(rules, resolving('169.254.169.254'))
    await expect(gate(new URL('http://metadata.example'))).rejects.toThrow('link-local')
  })
})

test.for([
  ['127.8.8.8', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['192.168.1.1', 'private'],
  ['172.32.0.1', 'public'],
  ['fd00::1', 'private'],
  ['fe80::1', 'never'],
  ['::', 'never'],
  ['::ffff:10.0.0.1', 'private'],
  ['2001:db8::1', 'public'],
] as const)('%s is %s', ([address, reach]) => {
  expect(reachOf(address)).toBe(reach)
})
