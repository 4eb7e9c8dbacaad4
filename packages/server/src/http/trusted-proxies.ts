import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Route } from '@grantkit/core/adapter'
import { ipAddress } from '@grantkit/core/feature'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import { headerOf } from './bodies-and-answers.ts'
import type { TrustedProxies } from './proxy-trust.ts'

/** Hears once of each fault of a proxy or of `TRUST_PROXY`. */
type OnError = (error: Error) => void

const FAULTS = {
  noAddress:
    'X-Forwarded-For names a caller that is no IP address. All such callers count as one for rate limits: look ' +
    'at what your proxy sends, and whether TRUST_PROXY names each proxy',
  notTrusted:
    'A request has X-Forwarded-For, and TRUST_PROXY is not set. If a proxy sends it, all users share the rate limits ' +
    'of its address: set TRUST_PROXY=1 behind one proxy, or the addresses of your proxies. Without a proxy, leave it',
}

const reported = new WeakMap<OnError, Set<keyof typeof FAULTS>>()

function reportOnce(onError: OnError, fault: keyof typeof FAULTS): void {
  const faults = reported.get(onError) ?? new Set()
  if (faults.has(fault)) return
  reported.set(onError, faults.add(fault))
  onError(new Error(FAULTS[fault]))
}

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
  if (trusted === undefined && forwardedFor !== '') reportOnce(onError, 'notTrusted')
  if (trusted === undefined || remoteAddress === undefined) return remoteAddress
  const addresses = forwardedFor.split(',').map((text) => ipAddress(text) ?? text)
  const forwarded = { 'x-forwarded-for': addresses.join() }
  const caller = proxyAddr(
    { headers: forwarded, socket: { remoteAddress } } as unknown as IncomingMessage,
    trusted,
  )
  const address = ipAddress(caller)
  if (address === undefined) reportOnce(onError, 'noAddress')
  return address
}

/** Wraps an OAuth route: its request has the caller's address behind the proxies, on any framework. */
export function behindProxies(
  route: Route,
  trusted: TrustedProxies | undefined,
  onError: OnError = () => {},
): Route {
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
