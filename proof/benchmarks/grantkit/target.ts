import type { AuthorizationServer } from '@grantkit/core'
import { mcpCalls } from '../src/mcp-call.ts'
import { SCOPE, targetOf } from '../src/requests.ts'
import type { Target, Workload } from '../src/workloads.ts'
import { Client, TOKEN, type UserAgent } from './client.ts'
import { type Options, openService, type Service } from './service.ts'

export const NOTES = '/notes'

/** Grantkit behind any adapter: only `listen` differs, which serves its routes and a guarded `/notes`. */
export async function grantkitTarget(
  port: number,
  listen: (service: Service, port: number) => Promise<unknown>,
  options?: Options,
): Promise<Target> {
  const service = await openService(`http://127.0.0.1:${port}`, options)
  await listen(service, port)
  return serverTarget(service.server, { scope: SCOPE, openId: `openid ${SCOPE}`, notes: NOTES })
}

interface AuthorizationInput {
  readonly scope: string
  /** The scope of a client that asks for UserInfo. */
  readonly openId: string
  readonly notes?: string | undefined
  /** An MCP server with the tool of the workload. */
  readonly mcp?: string
  readonly browser?: UserAgent
}

export async function serverTarget(
  server: Pick<AuthorizationServer, 'routes' | 'clients'>,
  { scope, openId, notes, mcp, browser }: AuthorizationInput,
): Promise<Target> {
  const client = await Client.register(server, scope, browser)
  const openIdClient = await Client.register(server, openId, browser)
  const metadata = { clientName: 'Notes', redirectUris: [], resourceServer: true }
  const { clientId: client_id, clientSecret: client_secret = '' } = await server.clients.add(metadata)
  const target = targetOf({
    token: TOKEN,
    clientId: client.clientId,
    newCode: () => client.code(),
    newTokens: () => client.tokens(),
    notes,
    introspection: { path: '/api/oauth/introspect', client: { client_id, client_secret } },
    userinfo: { path: '/api/oauth/userinfo', newTokens: () => openIdClient.tokens() },
  })
  const consent: Workload = (count) => Array<string>(count).fill(client.consentPage())
  const calls = mcp === undefined ? {} : { mcp: mcpCalls(mcp, () => client.tokens()) }
  return { ...target, workloads: { ...target.workloads, ...calls, consent } }
}
