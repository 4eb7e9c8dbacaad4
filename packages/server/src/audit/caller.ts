import { AsyncLocalStorage } from 'node:async_hooks'
import type { HttpRequest } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { coarseNetworkOf, ipAddress } from '@grantkit/core/internal'
import type { MiddlewareHandler } from 'hono'
import { headerOf } from '../http/bodies-and-answers.ts'
import type { CallerOf } from '../http/trusted-proxies.ts'

/** The caller of an event, as the trail keeps it. Events themselves have no address, because they are logged. */
export interface Caller {
  /** The network of the address: the first 24 bits of IPv4, the first 48 of IPv6. */
  readonly network?: string | undefined
  /** The client that the request names, not authenticated. */
  readonly clientId?: string | undefined
}

/** The handlers of the application show only the address: their events name no client. */
type Request = HttpRequest | Pick<HttpRequest, 'remoteAddress'>

const requests = new AsyncLocalStorage<Request>()

/** Wraps an OAuth route: `callerOfEvent` knows its request until it is answered. */
export function withCaller(route: Route): Route {
  return {
    ...route,
    handle: (request) => requests.run(request, () => route.handle(request)),
  }
}

/** The same for the handlers of the application. Guards read the address from the variable. */
export function callerMiddleware(
  callerOf: CallerOf,
): MiddlewareHandler<{ Variables: { remoteAddress: string | undefined } }> {
  return (c, next) => {
    const remoteAddress = callerOf(c)
    c.set('remoteAddress', remoteAddress)
    return requests.run({ remoteAddress }, next)
  }
}

/** The caller of the current request. Empty outside of a request, as in a command. */
export function callerOfEvent(): Caller {
  const request = requests.getStore()
  if (request === undefined) return {}
  const named = 'body' in request ? clientNamedIn(request) : ''
  return {
    network: coarseNetwork(request.remoteAddress),
    clientId: CLIENT_ID.test(named) ? named : undefined,
  }
}

/** Distinguishes networks, and identifies no single person. */
export function coarseNetwork(address = ''): string | undefined {
  return ipAddress(address) === undefined ? undefined : coarseNetworkOf(address)
}

/** Only what looks like an id: users put secrets into the wrong field. */
const CLIENT_ID = /^([0-9a-f]{32}|https:\/\/[\w.:/~-]{1,200})$/

/** Does not parse the whole form: it may have thousands of fields. */
function clientNamedIn(request: HttpRequest): string {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headerOf(request, 'content-type'))
  const fields = isForm ? `${request.body}&${request.query}` : request.query
  const [, encoded = ''] = /(?:^|&)client_id=([^&]{1,700})(?:&|$)/.exec(fields) ?? []
  return new URLSearchParams(`id=${encoded}`).get('id') ?? ''
}
