import {
  createAuthorizationServer,
  createResourceServer,
  type HttpRequest,
  type HttpResponse,
  type Interaction,
  type Store,
} from '@grantkit/core'
import type { Random, Time } from '@grantkit/core/feature'
import { TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'

/** The real core with its pages as data. The cookie of a browser names its user. */

export const ISSUER = 'https://server.example'
export const REDIRECT_URI = 'https://app.example/callback'
export const SCOPE = 'notes:read notes:write'
/** Seconds. */
export const LIFETIMES = { code: 60, accessToken: 600, refreshToken: 86_400, refreshRetryWindow: 60 }

const SCOPES = { 'notes:read': { description: 'Read notes' }, 'notes:write': { description: 'Write notes' } }
const SECRET = 'a secret of the simulation, long enough to pass'

const page = (status: number, body: string): HttpResponse => ({ status, headers: {}, body })

const interaction: Interaction = {
  async session({ headers }) {
    const subject = String(headers.cookie)
    return { id: subject, subject, authTime: 1_800_000_000 }
  },
  signIn: () => page(200, 'sign in'),
  consentPage: ({ action, ticket }) => page(200, JSON.stringify({ action, ticket })),
  errorPage: ({ status, reason }) => page(status, reason),
}

export interface ServiceParts {
  readonly store: Store
  /** What the guard reads. */
  readonly guardStore: Store
  /** Epoch seconds. */
  readonly now: () => number
  readonly time: Time
  readonly random: Random
  readonly lifetimes?: Partial<typeof LIFETIMES> | undefined
  readonly onEvent?: (event: { readonly type: string }) => void
}

export interface Service {
  handle(request: HttpRequest): Promise<HttpResponse>
  readonly server: ReturnType<typeof createAuthorizationServer>
}

export function createService({ store, guardStore, now, time, random, ...more }: ServiceParts): Service {
  const { lifetimes, onEvent = () => {} } = more
  const server = createAuthorizationServer({
    ...{ issuer: ISSUER, store, scopes: SCOPES, secret: SECRET, interaction, now, time, random, onEvent },
    lifetimes: { ...LIFETIMES, ...lifetimes },
    features: [tokenExchange()],
  })
  const api = createResourceServer({ resource: ISSUER, store: guardStore, scopes: SCOPES, now, onEvent })
  const routes = new Map(server.routes.map((route) => [route.path, route]))
  return {
    server,
    async handle(request) {
      const route = routes.get(request.path)
      if (route !== undefined) return route.handle(request)
      const access = await api.access(request)
      return access.kind === 'refused' ? access.response : page(200, 'notes')
    },
  }
}

/** The clients of a run: a public app, and the API, which introspects. */
export interface Clients {
  readonly app: string
  readonly api: { readonly id: string; readonly secret: string }
}

export async function addClients({ server }: Service): Promise<Clients> {
  const { clientId: app } = await server.clients.add({
    clientName: 'App',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
    tokenEndpointAuthMethod: 'none',
  })
  const { clientId: id, clientSecret: secret = '' } = await server.clients.add({
    clientName: 'API',
    redirectUris: ['https://api.example/callback'],
    tokenEndpointAuthMethod: 'client_secret_post',
    resourceServer: true,
  })
  return { app, api: { id, secret } }
}
