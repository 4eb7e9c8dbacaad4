import type { AuthorizationServer, HttpResponse, StaticClient } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { type DeviceInteraction, device } from '@grantkit/core/device'
import { type DpopAlgorithm, dpop, dpopProofs } from '@grantkit/core/dpop'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer, revokedTokens } from '@grantkit/core/jwt-resource-server'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { backChannelLogout } from '@grantkit/notifications'

/** The features of the service, and what their tests need of it. */

export const SCOPES = {
  openid: { description: 'Sign you in' },
  'notes:read': { description: 'Read your notes' },
}
export const SECRET = 'a secret of the tests, long enough to pass'

/** All that core has. */
const DPOP_ALGORITHMS: readonly DpopAlgorithm[] = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256']

/** The API whose tokens are signed. */
export const signedApi = (issuer: string) => `${issuer}/signed`

/** What was posted to clients. */
const posted: string[] = []

export function featuresOf(issuer: string) {
  return [
    pushedAuthorizationRequests(),
    dpop({ algorithms: DPOP_ALGORITHMS }),
    clientAssertion(),
    device(pages, { scopes: ['notes:read'] }),
    clientCredentials(),
    tokenExchange(),
    forwardAuth({ clientCredentials: true }),
    jwtAccessTokens({ resources: { [signedApi(issuer)]: {} } }),
    revocationFeed(),
    backChannelLogout({
      timers: false,
      post: async (_, { body }) => {
        posted.push(body)
        return { status: 200, headers: {} }
      },
    }),
  ]
}

export const proofs = dpopProofs({ secret: SECRET, algorithms: DPOP_ALGORITHMS })

/** Static clients of this server, which this process knows alone. */
interface Operator {
  readonly clients: {
    add(
      client: StaticClient,
    ): Promise<{ readonly clientId: string; readonly clientSecret?: string | undefined }>
  }
}

/** Adds a static client, as an operator does. */
export function addingClients({ clients }: Operator): Route {
  return {
    path: '/operator/clients',
    methods: ['POST'],
    handle: async ({ body }) => json(await clients.add(JSON.parse(body))),
  }
}

/** Ends a session, as an application does, and answers what was posted to its clients. */
export function endingSessions({ sessions }: Pick<AuthorizationServer, 'sessions'>): Route {
  return {
    path: '/operator/sessions',
    methods: ['POST'],
    handle: async ({ body }) => {
      await sessions.ended(JSON.parse(body))
      await sessions.deliver()
      return json(posted.splice(0))
    },
  }
}

/** A guard that reads the keys and the revocation feed over HTTP, as in another process. It looks five times a second. */
export async function signedGuard(issuer: string, { clients }: Operator) {
  const { clientId, clientSecret = '' } = await clients.add({
    clientName: 'Signed API',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: ['notes:read'],
    tokenEndpointAuthMethod: 'client_secret_post',
    resourceServer: true,
  })
  const credentials = { clientId, clientSecret }
  const now = () => Date.now() / 1000
  return createJwtResourceServer({
    issuer,
    resource: signedApi(issuer),
    scopes: SCOPES,
    keys: `${issuer}/api/oauth/jwks`,
    ended: revokedTokens({ address: `${issuer}/api/oauth/ended`, ...credentials, every: 0.2, now }),
    proofs,
  })
}

const form = (action: string, fields: string) =>
  html(`<form method="post" action="${action.replaceAll('&', '&amp;')}">${fields}</form>`)

const input = (name: string, value: string) => `<input name="${name}" value="${value}">`

const pages: DeviceInteraction = {
  userCodePage: ({ action, ticket }) => form(action, input('ticket', ticket)),
  devicePage: ({ action, ticket, scopes }) =>
    form(action, input('ticket', ticket) + scopes.map(({ name }) => input('scope', name)).join('')),
  deviceAnsweredPage: ({ allowed }) => html(allowed ? 'allowed' : 'denied'),
}

function html(body: string): HttpResponse {
  return { status: 200, headers: { 'content-type': 'text/html' }, body }
}

function json(value: unknown): HttpResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
