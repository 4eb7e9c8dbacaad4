/** Two whole servers with one store, for the traces of the model. They get their requests through the routes of an application. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { authorizationServer } from '@grantkit/adapter-hono'
import { createAuthorizationServer, type ServerEvent, type Store } from '@grantkit/core'
import { DEVICE_CODE_GRANT, device } from '@grantkit/core/device'
import type { GrantId } from '@grantkit/core/feature'
import { TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import type { NowAt } from '../core/replicas.ts'
import { type Gate, gated } from '../core/request.ts'
import { LIFETIMES, MODEL, seconds, TERMS } from '../core/terms.ts'
import { Pages } from './model-pages.ts'

const ISSUER = 'https://server.example'
export const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
export const SCOPE = 'notes:read'

/** A request on its way through a server. */
export interface OnItsWay {
  readonly gate?: Gate | undefined
  /** The store fails when it inserts a grant. */
  readonly losesGrant?: boolean | undefined
  /** What it causes. */
  readonly events: ServerEvent[]
}

export interface Servers {
  readonly clientId: string
  readonly pages: Pages
  readonly store: Store
  /** Sends a form, or opens a page. @throws Error if the server has a fault */
  send(
    replica: number,
    path: string,
    form?: Record<string, string>,
    way?: Partial<OnItsWay>,
  ): Promise<Response>
  /** By its user. */
  revokeGrant(id: GrantId): Promise<boolean>
}

/** @param nowAt the clock of a replica */
export async function startServers(store: Store, nowAt: NowAt): Promise<Servers> {
  const pages = new Pages(nowAt(0))
  const onItsWay = new AsyncLocalStorage<OnItsWay>()
  const shared = { store: heldStore(store, onItsWay), pages, onItsWay }
  const [first, second] = [serverOf(shared, nowAt(0)), serverOf(shared, nowAt(1))]
  const { clientId } = await first.clients.add({
    clientName: 'App of the model',
    redirectUris: [REDIRECT_URI],
    tokenEndpointAuthMethod: 'none',
    grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT, TOKEN_EXCHANGE],
  })
  const apps = [authorizationServer(first), authorizationServer(second)]
  return {
    ...{ clientId, pages, store },
    revokeGrant: (id) => first.grants.revoke('alice', id),
    async send(replica, path, form, way) {
      const message = form && { method: 'POST', body: new URLSearchParams(form) }
      const request = () => apps[replica]?.request(new URL(path, ISSUER).href, message)
      const answer = await onItsWay.run({ events: [], ...way }, async () => request())
      if (answer === undefined || answer.status === 500 || answer.status === 404)
        throw new Error(`${path} answered ${answer?.status}: ${await answer?.text()}`)
      return answer
    },
  }
}

interface Shared {
  readonly store: Store
  readonly pages: Pages
  readonly onItsWay: AsyncLocalStorage<OnItsWay>
}

/** It stops a request before each change of a grant. */
function heldStore(store: Store, onItsWay: Shared['onItsWay']): Store {
  const grants = gated(store.grants, () => onItsWay.getStore()?.gate)
  const insert: Store['grants']['insert'] = (...written) =>
    onItsWay.getStore()?.losesGrant
      ? Promise.reject(new Error('The store failed'))
      : grants.insert(...written)
  return { ...store, grants: { ...grants, insert } }
}

function serverOf({ store, pages, onItsWay }: Shared, now: () => number) {
  const { accessToken, refreshToken, refreshRetryWindow, maxAccessTokens } = TERMS
  const { code, grant } = LIFETIMES
  const consentTicket = seconds(MODEL.device) - seconds(0)
  const devices = { codeLifetime: consentTicket, grantLifetime: grant }
  return createAuthorizationServer({
    issuer: ISSUER,
    store,
    scopes: { [SCOPE]: { description: 'Read notes', access: 'read' } },
    secret: 'a secret of the model, long enough to pass',
    interaction: pages,
    lifetimes: { accessToken, refreshToken, refreshRetryWindow, code, grant, consentTicket },
    maxAccessTokens,
    features: [device(pages, devices), tokenExchange({ lifetime: accessToken })],
    onEvent: (event) => void onItsWay.getStore()?.events.push(event),
    now,
  })
}
