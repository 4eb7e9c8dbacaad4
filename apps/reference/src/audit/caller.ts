import { AsyncLocalStorage } from 'node:async_hooks'
import { isIP } from 'node:net'
import { type HttpRequest, networkOf, type Route } from '@grantkit/core'
import { formOf } from '../http.ts'

/** Who causes an event, as far as the trail keeps it. Events themselves name no address, because they are logged. */
export interface Caller {
  /** The network of the address: of IPv4 the first 24 bits, of IPv6 the first 48. */
  readonly network?: string | undefined
  /** The client that the request names, which proves nothing. */
  readonly clientId?: string | undefined
}

const requests = new AsyncLocalStorage<HttpRequest>()

/** Wraps a route: `callerOfEvent` knows its request until it is answered. */
export function rememberingCaller(route: Route): Route {
  return { ...route, handle: (request) => requests.run(request, () => route.handle(request)) }
}

/** The caller of the request that is being answered. Nobody outside one, as in a command. */
export function callerOfEvent(): Caller {
  const request = requests.getStore()
  if (request === undefined) return {}
  return { network: coarseNetwork(request.remoteAddress), clientId: namedClient(request) }
}

/** Tells a stranger from a neighbour, and points at no single person. */
export function coarseNetwork(address = ''): string | undefined {
  if (isIP(address) === 0) return undefined
  return networkOf(address)
    .replace(/\.\d+$/, '.0/24')
    .replace(/:[^:]+::\/64$/, '::/48')
}

/** Only what looks like an id: people put secrets into the wrong field. */
const CLIENT_ID = /^([0-9a-f]{32}|https:\/\/[\w.:/~-]{1,200})$/

function namedClient(request: HttpRequest): string | undefined {
  const named = formOf(request).client_id ?? new URLSearchParams(request.query).get('client_id') ?? ''
  return CLIENT_ID.test(named) ? named : undefined
}
