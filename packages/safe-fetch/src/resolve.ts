import { promises as dns } from 'node:dns'
import { FetchFailure } from './fetch-failure.ts'
import { isPublicAddress } from './public-address.ts'

/** Milliseconds, and attempts: several name servers can be queried one after the other within the deadline of a fetch. */
const TIMEOUTS = { timeout: 1000, tries: 2 }

/**
 * The addresses of a name, one of each family at most, IPv4 first.
 *
 * The questions go to the name servers themselves: the resolver of the operating system would add search domains and
 * `/etc/hosts`, cannot be cancelled, and a slow name would keep a thread that all other look-ups wait for.
 *
 * @throws FetchFailure if one of all its addresses is not public, whether it would be used or not
 */
export async function publicAddressesOf(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new dns.Resolver(TIMEOUTS)
  signal.addEventListener('abort', () => resolver.cancel())
  signal.throwIfAborted()
  const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  signal.throwIfAborted()
  // Many names have no address of one family, and some name servers fail on IPv6.
  const found = families.map((family) => (family.status === 'fulfilled' ? family.value : []))
  const inside = found.flat().find((address) => !isPublicAddress(address))
  if (inside !== undefined)
    throw new FetchFailure('address', `${name} has an address that is not public: ${inside}`)
  const addresses = found.flatMap((family) => family.slice(0, 1))
  if (addresses.length > 0) return addresses
  const failed = families.find((family) => family.status === 'rejected')
  throw new FetchFailure('dns', `${name} has no address`, failed?.reason)
}
