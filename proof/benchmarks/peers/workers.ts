import type { Server } from 'node:http'
import { registerHooks } from 'node:module'
import { createAdaptorServer } from '@hono/node-server'
import { listen } from '../src/machine.ts'
import { authorizationRequest, codeForm, REDIRECT_URI, SCOPES, SUBJECT, targetOf } from '../src/requests.ts'
import type { StartTarget } from '../src/workloads.ts'

// It imports one base class from the Workers runtime, to distinguish handlers.
const WORKERS = 'data:text/javascript,export class WorkerEntrypoint {}'
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers' ? { url: WORKERS, shortCircuit: true } : next(specifier, context),
})

// Without this runtime flag it warns that a feature is off, which is not used here.
Object.assign(globalThis, { Cloudflare: { compatibilityFlags: { global_fetch_strictly_public: true } } })

/** On Node behind Hono's server, the quickest bridge from node:http to fetch; KV is a map. It introspects nothing. */
export const start: StartTarget = async (port) => {
  const origin = `http://127.0.0.1:${port}`
  const { OAuthProvider, getOAuthApi } = await import('@cloudflare/workers-oauth-provider')
  const options = {
    apiRoute: '/notes',
    apiHandler: {
      fetch: (_: unknown, __: unknown, { props }: { props: unknown }) => Response.json(props),
    } as never,
    defaultHandler: { fetch: () => new Response(null, { status: 404 }) } as never,
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/token',
    scopesSupported: SCOPES,
    onError() {},
    resourceMetadata: { resource: `${origin}/notes` },
  }
  const provider = new OAuthProvider(options as never)
  const env = { OAUTH_KV: new MapKv() }
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} }
  const answer = (request: Request) => provider.fetch(request, { ...env } as never, { ...context } as never)
  await listen(createAdaptorServer({ fetch: answer, overrideGlobalObjects: false }) as Server, port)

  const api = getOAuthApi(options as never, env as never)
  const { clientId } = await api.createClient({
    redirectUris: [REDIRECT_URI],
    tokenEndpointAuthMethod: 'none',
    grantTypes: ['authorization_code', 'refresh_token'],
  })
  const query = new URLSearchParams(authorizationRequest(clientId))
  const request = await api.parseAuthRequest(new Request(`${origin}/authorize?${query}`))
  const newCode = async () => {
    const approval = { request, userId: SUBJECT, metadata: {}, scope: SCOPES, props: { owner: SUBJECT } }
    const { redirectTo } = await api.completeAuthorization({ ...approval, revokeExistingGrants: false })
    return new URL(redirectTo).searchParams.get('code') ?? ''
  }
  const newTokens = async () => {
    const body = new URLSearchParams(codeForm(clientId, await newCode()))
    const answered = await answer(new Request(`${origin}/token`, { method: 'POST', body }))
    return (await answered.json()) as { access_token: string; refresh_token: string }
  }
  return targetOf({ clientId, newCode, newTokens, notes: '/notes' })
}

/** The part of Workers KV that it uses. Nothing expires within a run. */
class MapKv {
  readonly #values = new Map<string, string>()

  async get(key: string, { type }: { type?: string } = {}) {
    const value = this.#values.get(key)
    if (value === undefined) return null
    return type === 'json' ? JSON.parse(value) : value
  }

  async put(key: string, value: string) {
    this.#values.set(key, value)
  }

  async delete(key: string) {
    this.#values.delete(key)
  }

  async list({ prefix = '' }: { prefix?: string } = {}) {
    const names = [...this.#values.keys()].filter((key) => key.startsWith(prefix))
    return { keys: names.map((name) => ({ name })), list_complete: true, cursor: undefined }
  }
}
