import proxyAddr from '@fastify/proxy-addr'

/** Whether an address, this many hops away, is a trusted proxy. */
export type TrustedProxies = (address: string, hops: number) => boolean

/**
 * A number of hops, or addresses, networks and the names `loopback`, `linklocal` and `uniquelocal`. There is no "trust
 * all", because a trusted proxy chooses the address that rate limits count. @throws Error
 */
export function trustedProxies(proxies: number | readonly string[]): TrustedProxies {
  if (typeof proxies !== 'number') return proxyAddr.compile([...proxies])
  if (!Number.isInteger(proxies) || proxies < 1) throw new Error('The number of proxies must be positive')
  return (_address, hops) => hops < proxies
}
