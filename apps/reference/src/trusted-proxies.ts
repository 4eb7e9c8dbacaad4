import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Route } from '@grantkit/core'
import { z } from 'zod'
import { headerOf } from './http.ts'

/** Whether an address, so many hops before this service, is a proxy whose word on its caller is taken. */
export type TrustedProxies = (address: string, hops: number) => boolean

/**
 * A number of hops, or addresses, networks and the names `loopback`, `linklocal` and `uniquelocal`, with commas.
 * Nobody is trusted blindly: whoever is may choose the address that limits count.
 */
export const TrustedProxies = z.string().transform((text, context): TrustedProxies => {
  const proxies = Number(text)
  if (Number.isInteger(proxies) && proxies > 0) return (_address, hops) => hops < proxies
  try {
    // A bare number would be read as an address.
    if (Number.isNaN(proxies)) return proxyAddr.compile(text.split(',').map((address) => address.trim()))
  } catch {}
  context.addIssue('must be a number of proxies, or their addresses or networks separated by commas')
  return z.NEVER
})

/** A route that is told the address its caller has beyond the proxies (X-Forwarded-For), whatever the framework. */
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
