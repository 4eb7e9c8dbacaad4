import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Route } from '@grantkit/core/adapter'
import { ipAddress } from '@grantkit/core/internal'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import type { IsTrustedProxy } from '../config/address.ts'
import { headerOf } from './bodies-and-answers.ts'

/** Hears once of each fault of a proxy or of `TRUST_PROXY`. */
export interface ProxyObserver {
  onError(error: Error): void
  /** Any caller can send the header, and must not cause an error. */
  onWarning(warning: string): void
}

const NO_ADDRESS =
  'X-Forwarded-For names a caller that is no IP address. All such callers count as one for rate limits: look ' +
  'at what your proxy sends, and whether TRUST_PROXY names each proxy'
const NOT_TRUSTED =
  'A request has X-Forwarded-For, and TRUST_PROXY is not set. If a proxy sends it, all users share the rate limits of ' +
  'its address: set TRUST_PROXY=1 behind one proxy, or the addresses of your proxies. Without a proxy, ignore this'

const [hadNoAddress, hadNoTrust] = [new WeakSet<ProxyObserver>(), new WeakSet<ProxyObserver>()]

function once(observers: WeakSet<ProxyObserver>, observer: ProxyObserver, report: () => void): void {
  if (observers.has(observer)) return
  observers.add(observer)
  report()
}

/**
 * The address of the caller behind the proxies (X-Forwarded-For); without one, the caller counts as `unknown`. Some
 * proxies add the port, so the proxies are recognized without theirs, too.
 *
 * @param remoteAddress of the socket
 */
function callerBehind(
  trusted: IsTrustedProxy | undefined,
  remoteAddress: string | undefined,
  forwardedFor: string,
  observer: ProxyObserver,
): string | undefined {
  if (trusted === undefined && forwardedFor !== '')
    once(hadNoTrust, observer, () => observer.onWarning(NOT_TRUSTED))
  if (trusted === undefined || remoteAddress === undefined) return remoteAddress
  const addresses = forwardedFor.split(',').map((text) => ipAddress(text) ?? text)
  const forwarded = { 'x-forwarded-for': addresses.join() }
  const caller = proxyAddr(
    { headers: forwarded, socket: { remoteAddress } } as unknown as IncomingMessage,
    trusted,
  )
  const address = ipAddress(caller)
  if (address === undefined) once(hadNoAddress, observer, () => observer.onError(new Error(NO_ADDRESS)))
  return address
}

/** Wraps an OAuth route: its request has the caller's address behind the proxies, on any framework. */
export function behindProxies(
  route: Route,
  trusted: IsTrustedProxy | undefined,
  observer: ProxyObserver,
): Route {
  return {
    ...route,
    handle(request) {
      const forwardedFor = headerOf(request, 'x-forwarded-for')
      const remoteAddress = callerBehind(trusted, request.remoteAddress, forwardedFor, observer)
      return route.handle({ ...request, remoteAddress })
    },
  }
}

/** The same for the handlers of the application. */
export type CallerOf = (c: Context) => string | undefined

export function callerOf(trusted: IsTrustedProxy | undefined, observer: ProxyObserver): CallerOf {
  return (c) =>
    callerBehind(trusted, getConnInfo(c).remote.address, c.req.header('x-forwarded-for') ?? '', observer)
}
