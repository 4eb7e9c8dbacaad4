import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-hono'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import type { Config } from '../config/config.ts'
import type { Service } from '../service/service.ts'
import {
  type Address,
  arrivalTimes,
  draining,
  type Listen,
  type Listening,
  nodeListener,
  refuseUnreadable,
  rememberCallers,
  sendsHsts,
  setHeaders,
  spareDescriptors,
  standingHeaders,
} from './listening.ts'

type Mountable = Pick<Service, 'routes' | 'app'>

export const listenOnHono: Listen = (service, address) => listen(listenerOf(service, address), address)

/**
 * Serves several issuers at one port, each at the host of its base URL. The `Host` of a request alone decides; one of no issuer
 * is answered with 404.
 *
 * @param issuers as `createServer` returns them. Close them after what listens
 * @throws Error when two of them have the same host or the same database, or the address is in use
 *
 * @example
 * ```ts
 * import { createServer } from '@grantkit/server'
 * import { listenForIssuers } from '@grantkit/server/listen'
 *
 * const acme = await createServer({ baseUrl: 'https://acme.example', database: 'sqlite:acme.sqlite' })
 * const globex = await createServer({ baseUrl: 'https://globex.example', database: 'sqlite:globex.sqlite' })
 * await listenForIssuers([acme, globex], { host: '127.0.0.1', port: 3000 })
 * ```
 */
export async function listenForIssuers(
  issuers: readonly (Mountable & { readonly config: Pick<Config, 'baseUrl' | 'database'> })[],
  address: Omit<Address, 'hsts'>,
): Promise<Listening> {
  const byHost = new Map<string, RequestListener>()
  const databases = new Set<string>()
  for (const { config, ...service } of issuers) {
    const { host } = new URL(config.baseUrl)
    if (byHost.has(host)) throw new Error(`Two issuers have the host ${host}: each needs its own`)
    // A session of one would be a session of the other.
    if (databases.has(config.database))
      throw new Error(`The issuer at ${host} has the database of another one`)
    if (config.database !== 'memory:') databases.add(config.database)
    byHost.set(host, listenerOf(service, { ...address, hsts: sendsHsts(config.baseUrl) }))
  }
  const nobody = listenerOf({ routes: [], app: new Hono() }, { ...address, hsts: false })
  const listener: RequestListener = (request, response) => {
    const issuer = byHost.get(request.headers.host?.toLowerCase() ?? '') ?? nobody
    return issuer(request, response)
  }
  return listen(listener, address)
}

/** The routes of a service, and its application behind them. */
function listenerOf(
  { routes, app }: Mountable,
  { host, hsts }: Pick<Address, 'host' | 'hsts'>,
): RequestListener {
  const whole = new Hono()
    .route('/', authorizationServer({ routes }, { remoteAddress: (c) => getConnInfo(c).remote.address }))
    .notFound((c) => app.fetch(c.req.raw, c.env))
  const answer = nodeListener(whole, host)
  const headers = standingHeaders(hsts)
  return (request, response) => {
    setHeaders(response, headers)
    return answer(request, response)
  }
}

async function listen(
  listener: RequestListener,
  { host, port, requestTimeout }: Omit<Address, 'hsts'>,
): Promise<Listening> {
  const server = createServer(arrivalTimes(requestTimeout), listener)
  const listening = draining(server.on('clientError', refuseUnreadable))
  rememberCallers(server)
  spareDescriptors(server)
  await once(server.listen(port, host), 'listening')
  return listening
}
