import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Route } from '@grantkit/core'
import { z } from 'zod'
import { headerOf } from './http.ts'

/** Whether an address, this many hops away, is a trusted proxy. */
export type TrustedProxies = (address: string, hops: number) => boolean

/**
 * A number of hops, or a comma-separated list of addresses, networks and the names `loopback`, `linklocal` and
 * `uniquelocal`. There is no "trust all": a trusted proxy chooses the address that limits count.
 */
export const TrustedProxies = z.string().transform((text, context): TrustedProxies => {
  const proxies = Number(text)
  if (Number.isInteger(proxies) && proxies > 0) return (_address, hops) => hops < proxies
  try {
    // proxy-addr would read a plain number as an address.
    if (Number.isNaN(proxies)) return proxyAddr.compile(text.split(',').map((address) => address.trim()))
  } catch {}
  context.addIssue('must be a number of proxies, or their addresses or networks separated by commas')
  return z.NEVER
})

/** Wraps a route: it gets the caller's address behind the proxies (X-Forwarded-For), on any framework. */
export function behindProxies(route: Route, trusted: TrustedProxies | undefined): Route {
  if (trusted === undefined) return route
  return {
    ...route,
    handle(request) {
      const { remoteAddress } = request
      if (remoteAddress === undefined) return route.handle(request)
      const forwarded = { 'x-forwarded-for': headerOf(request, 'x-forwarded-for') }
      const incoming = { headers: forwarded, socket: { remoteAddress } } as unknown as IncomingMessage
      return route.handle({ ...request, remoteAddress: proxyAddr(incoming, trusted) })
    },
  }
}
