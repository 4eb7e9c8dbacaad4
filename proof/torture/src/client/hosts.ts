import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Which hosts a run may race, besides loopback. */
export interface HostRules {
  /** Hosts whose every address is private (RFC 1918, RFC 4193, RFC 6598). */
  readonly private?: boolean | undefined
  /** Exact names of public hosts that the operator owns. */
  readonly owned?: readonly string[] | undefined
}

/** A host that the rules allow, with the address that every connection of the run uses. */
export interface PinnedHost {
  readonly address: string
  readonly family: 4 | 6
  readonly reach: Reach
}

export type Reach = 'loopback' | 'private' | 'public'

/** The rules do not allow a host. */
export class HostRefused extends Error {
  override readonly name = 'HostRefused'
}

type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/**
 * Resolves each host once and judges all of its addresses. The first one is used from then on, so that a name cannot point to
 * another machine later.
 */
export function hostGate(rules: HostRules, resolve: Resolve = (host) => lookup(host, { all: true })) {
  const pinned = new Map<string, Promise<PinnedHost>>()

  /** @throws HostRefused */
  return (url: URL): Promise<PinnedHost> => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const known = pinned.get(host) ?? judged(host, rules, resolve)
    pinned.set(host, known)
    return known
  }
}

async function judged(host: string, rules: HostRules, resolve: Resolve): Promise<PinnedHost> {
  const addresses = isIP(host) ? [{ address: host, family: isIP(host) }] : await resolve(host)
  const reaches = addresses.map(({ address }) => reachOf(address))
  const [first] = addresses
  if (first === undefined) throw new HostRefused(`${host} has no address.`)
  const pin = { address: first.address, family: first.family === 6 ? 6 : 4 } as const
  if (reaches.includes('never'))
    throw new HostRefused(`${host} is a link-local, multicast or reserved address.`)
  if (reaches.every((reach) => reach === 'loopback')) return { ...pin, reach: 'loopback' }
  if (reaches.includes('public')) {
    if (rules.owned?.includes(host)) return { ...pin, reach: 'public' }
    throw new HostRefused(`${host} is a public host. The kit ends grants: name it in --i-own if it is yours.`)
  }
  if (rules.private) return { ...pin, reach: 'private' }
  throw new HostRefused(`${host} is in a private network. Allow it with --private.`)
}

/** What an address can reach. `never`: an address that no server of OAuth has. */
export function reachOf(address: string): Reach | 'never' {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  const kind = isIP(plain) === 6 ? 'ipv6' : 'ipv4'
  const found = RANGES.find(({ list }) => list.check(plain, kind))
  return found?.reach ?? 'public'
}

const RANGES = [
  { reach: 'loopback', list: ranges('127.0.0.0/8', '::1/128') },
  {
    reach: 'private',
    list: ranges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'),
  },
  {
    reach: 'never',
    list: ranges('0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/128', 'fe80::/10', 'ff00::/8'),
  },
] as const

function ranges(...cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [net = '', prefix] = cidr.split('/')
    list.addSubnet(net, Number(prefix), isIP(net) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}
