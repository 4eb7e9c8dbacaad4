import { type AuthorizationServerOptions, createResourceServer, type ScopeCatalogue } from '@grantkit/core'
import { type PersonalTokensOptions, personalTokens } from '@grantkit/core/personal-tokens'
import { ISSUER, openService, SCOPES, type Service, type ServiceScope } from './service.ts'

/** The service, with personal access tokens for two scopes, and an API with routes of both kinds. */

export const MCP = `${ISSUER}/mcp`
export const DAY = 24 * 60 * 60
export const NETWORK = '203.0.113.0/24'

export const PERSONAL_SCOPES = {
  ...SCOPES,
  'courses:read': { ...SCOPES['courses:read'], personal: true },
  'courses:write': { ...SCOPES['courses:write'], personal: true },
} as const satisfies ScopeCatalogue

interface Opened {
  readonly tokens?: PersonalTokensOptions
  readonly server?: Partial<AuthorizationServerOptions<ServiceScope>>
}

export function openPersonal({ tokens: options = {}, server = {} }: Opened = {}) {
  const tokens = personalTokens(options)
  const features = [tokens, ...(server.features ?? [])]
  const service = openService({ scopes: PERSONAL_SCOPES, ...server, features })
  const create = (differences: Partial<Parameters<typeof tokens.create>[0]> = {}) =>
    tokens.create({
      ...{ subject: 'alice', label: 'CI', scopes: ['courses:read'], resources: [ISSUER] },
      ...differences,
    })
  return { service, tokens, create, ...guardOf(service, server.store ?? service.store) }
}

function guardOf({ clock, events }: Service, store: Service['store']) {
  const api = createResourceServer({
    ...{ resource: ISSUER, store, scopes: SCOPES, now: () => clock.now },
    onEvent: (event) => void events.push(event),
  })
  const allowing = api.allowing({ personalTokens: true })
  const request = (text: string, remoteAddress?: string) => ({
    ...{ method: 'GET', path: '/courses', query: '', body: '', remoteAddress },
    headers: { authorization: `Bearer ${text}` },
  })
  return {
    /** A route that accepts personal access tokens. */
    call: (text: string, { from, scope = 'courses:read' }: { from?: string; scope?: ServiceScope } = {}) =>
      allowing.access(request(text, from), scope),
    /** Any other route. */
    callUserRoute: (text: string) => api.access(request(text), 'courses:read'),
  }
}

/** The last use is stored while no request waits for it. */
export async function written(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done))
}

export function typesOf({ events }: Service): string[] {
  return events.map(({ type }) => type)
}
