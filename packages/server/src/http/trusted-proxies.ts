import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Route } from '@grantkit/core/adapter'
import { ipAddress } from '@grantkit/core/feature'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import { headerOf } from './bodies-and-answers.ts'
import type { TrustedProxies } from './proxy-trust.ts'

/** Hears once that a proxy sends something else than addresses. */
type OnError = (error: Error) => void

const reported = new WeakSet<TrustedProxies>()

/**
 * The address of the caller behind the proxies (X-Forwarded-For); without one, the caller counts as `unknown`. Some
 * proxies add the port, so the proxies are recognized without theirs, too.
 *
 * @param remoteAddress of the socket
 */
function callerBehind(
  trusted: TrustedProxies | undefined,
  remoteAddress: string | undefined,
  forwardedFor: string,
  onError: OnError,
): string | undefined {
  if (trusted === undefined || remoteAddress === undefined) return remoteAddress
  const addresses = forwardedFor.split(',').map((text) => ipAddress(text) ?? text)
  const forwarded = { 'x-forwarded-for': addresses.join() }
  const caller = proxyAddr(
    { headers: forwarded, socket: { remoteAddress } } as unknown as IncomingMessage,
    trusted,
  )
  const address = ipAddress(caller)
  if (address === undefined && !reported.has(trusted)) {
    reported.add(trusted)
    onError(
      new Error(
        'X-Forwarded-For names a caller that is no IP address. All such callers count as one for rate limits: look ' +
          'at what your proxy sends, and whether TRUST_PROXY names each proxy',
      ),
    )
  }
  return address
}

/** Wraps an OAuth route: its request has the caller's address behind the proxies, on any framework. */
export function behindProxies(
  route: Route,
  trusted: TrustedProxies | undefined,
  onError: OnError = () => {},
): Route {
  if (trusted === undefined) return route
  return {
    ...route,
    handle(request) {
      const forwardedFor = headerOf(request, 'x-forwarded-for')
      const remoteAddress = callerBehind(trusted, request.remoteAddress, forwardedFor, onError)
      return route.handle({ ...request, remoteAddress })
    },
  }
}

/** The same for the handlers of the application. */
export type CallerOf = (c: Context) => string | undefined

export function callerOf(trusted: TrustedProxies | undefined, onError: OnError = () => {}): CallerOf {
  return (c) =>
    callerBehind(trusted, getConnInfo(c).remote.address, c.req.header('x-forwarded-for') ?? '', onError)
}
