import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Route } from '@grantkit/core/adapter'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import { headerOf } from './bodies-and-answers.ts'
import type { TrustedProxies } from './proxy-trust.ts'

/** The address of the caller behind the proxies (X-Forwarded-For). @param remoteAddress of the socket */
function callerBehind(
  trusted: TrustedProxies | undefined,
  remoteAddress: string | undefined,
  forwardedFor: string,
): string | undefined {
  if (trusted === undefined || remoteAddress === undefined) return remoteAddress
  const forwarded = { 'x-forwarded-for': forwardedFor }
  return proxyAddr({ headers: forwarded, socket: { remoteAddress } } as unknown as IncomingMessage, trusted)
}

/** Wraps an OAuth route: its request has the caller's address behind the proxies, on any framework. */
export function behindProxies(route: Route, trusted: TrustedProxies | undefined): Route {
  if (trusted === undefined) return route
  return {
    ...route,
    handle(request) {
      const forwardedFor = headerOf(request, 'x-forwarded-for')
      const remoteAddress = callerBehind(trusted, request.remoteAddress, forwardedFor)
      return route.handle({ ...request, remoteAddress })
    },
  }
}

/** The same for the handlers of the application. */
export type CallerOf = (c: Context) => string | undefined

export function callerOf(trusted: TrustedProxies | undefined): CallerOf {
  return (c) => callerBehind(trusted, getConnInfo(c).remote.address, c.req.header('x-forwarded-for') ?? '')
}
