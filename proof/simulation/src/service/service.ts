import {
  createAuthorizationServer,
  createResourceServer,
  type HttpRequest,
  type HttpResponse,
  type Interaction,
  type PrivateJwk,
  type Store,
} from '@grantkit/core'
import { type DeviceInteraction, device } from '@grantkit/core/device'
import type { Random, Time } from '@grantkit/core/internal'
import { tokenExchange } from '@grantkit/core/token-exchange'

/** The real core with its pages as data. The cookie of a browser names its user. */

export const ISSUER = 'https://server.example'
export const REDIRECT_URI = 'https://app.example/callback'
export const SCOPE = 'notes:read notes:write'
/** Epoch seconds at the start of each run. */
export const EPOCH = 1_800_000_000
/** Seconds. */
export const LIFETIMES = { code: 60, accessToken: 600, refreshToken: 86_400, refreshRetryWindow: 60 }

const SCOPES = {
  openid: { description: 'Know who you are' },
  'notes:read': { description: 'Read notes', access: 'read' },
  'notes:write': { description: 'Write notes' },
} as const
const DEVICE_SCOPES = Object.keys(SCOPES)
const SECRET = 'a secret of the simulation, long enough to pass'

/** Of the simulation alone. An Ed25519 signature has no random part. */
const KEY: PrivateJwk = {
  ...{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', kid: 'simulation' },
  d: '9kX_W3MUHIn1CTm24GFh9caY75Hknpfx-Gp0e_fVuFY',
  x: 'FGYfuPPxbEwZWigheMKAKc1s8K_e7buFLWBSgKKw-kA',
}

const page = (status: number, body: string): HttpResponse => ({ status, headers: {}, body })

const interaction: Interaction = {
  async session({ headers }) {
    const subject = String(headers.cookie)
    return { id: subject, subject, authTime: EPOCH }
  },
  signIn: () => page(200, 'sign in'),
  consentPage: ({ action, ticket }) => page(200, JSON.stringify({ action, ticket })),
  errorPage: ({ status, reason }) => page(status, reason),
}

/** The page of the user code names its form, and so does that of the decision. */
const devicePages: DeviceInteraction = {
  userCodePage: ({ action, ticket }) => page(200, JSON.stringify({ action, ticket })),
  devicePage: ({ action, ticket }) => page(200, JSON.stringify({ action, ticket })),
  deviceAnsweredPage: ({ allowed }) => page(200, JSON.stringify({ allowed })),
}
/** A sign-in of the simulation does not age. */
const SIGN_IN_AGE = 10 * 86_400

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
    features: [tokenExchange(), device(devicePages, { maxAge: SIGN_IN_AGE, scopes: DEVICE_SCOPES })],
    ...{ keys: [KEY], idTokenAlgorithm: 'EdDSA', claims: async () => ({}) },
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
