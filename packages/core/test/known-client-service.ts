import { type KnownClientsOptions, knownClients } from '@grantkit/known-clients'
import { authorizationQuery, authorize, register } from './client.ts'
import { openService, type Service } from './service.ts'

/** Clients with fixed addresses that register themselves, because the table of known clients has exactly these addresses. */

export const CHATGPT = 'https://chatgpt.com/connector_platform_oauth_redirect'
export const CLAUDE = 'https://claude.ai/api/mcp/auth_callback'
export const CURSOR_APP = 'cursor://anysphere.cursor-mcp/oauth/callback'
export const CURSOR_WEB = 'https://www.cursor.com/agents/mcp/oauth/callback'
export const CURSOR = [CURSOR_APP, CURSOR_WEB, 'http://localhost:8787/callback']
export const FOREIGN = 'https://evil.example/callback'

type Overrides = Parameters<typeof openService>[0]

/** A server that lets known clients in. */
export const openKnown = (options: KnownClientsOptions = {}, overrides: Overrides = {}) =>
  openService({ ...knownClients(options), ...overrides })

/** A new client at a redirect URI, and the consent page that its user gets. */
export async function requestConsent(service: Service, redirect_uri: string, metadata: object = {}) {
  const { clientId } = await register(service, { redirect_uris: [redirect_uri], ...metadata })
  await authorize(service, authorizationQuery(clientId, { redirect_uri }))
  return { clientId, view: service.shown.consent }
}

export const eventsOf = (service: Service, type: string) =>
  (service.events as { type: string }[]).filter((event) => event.type === type)
