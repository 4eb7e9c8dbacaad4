import type { Server } from 'node:http'
import { oauthProvider } from '@better-auth/oauth-provider'
import { createAdaptorServer } from '@hono/node-server'
import { betterAuth } from 'better-auth'
import type { CustomAdapter } from 'better-auth/adapters'
import { delayed } from '../../../../packages/test-servers/src/delayed.ts'
import { listen } from '../../src/machine.ts'
import { mapAdapter } from '../better-auth-tables.ts'
import { CALLBACK, type StartRaced } from './raced-server.ts'

const SCOPES = ['openid', 'offline_access', 'notes:read']

export const start: StartRaced = async (port) => {
  const origin = `http://127.0.0.1:${port}`
  const auth = createAuth(origin)
  const cookie = await signUp(auth, origin)
  await listen(createAdaptorServer({ fetch: auth.handler, overrideGlobalObjects: false }) as Server, port)
  const at = (path: string) => `${origin}/api/auth/oauth2/${path}`
  const paths = { token: 'token', authorization: 'authorize', revocation: 'revoke', userinfo: 'userinfo' }
  const named = Object.entries({ ...paths, introspection: 'introspect' })
  const endpoints = Object.fromEntries(named.map(([name, path]) => [name, at(path)]))
  const clients = [
    { id: await newClient(auth, cookie), method: 'none' } as const,
    { id: await newClient(auth, cookie), method: 'none' } as const,
  ]
  return { issuer: origin, endpoints, clients, scope: SCOPES, cookie }
}

function createAuth(baseURL: string) {
  const plugin = oauthProvider({
    ...{ loginPage: '/login', consentPage: '/consent', scopes: SCOPES, disableJwtPlugin: true },
  })
  return betterAuth({
    baseURL,
    secret: 'a secret of the benchmark, long enough to pass',
    database: mapAdapter((adapter) => delayed(copying(adapter))),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [plugin],
  })
}

/** Rows as they are when they are read, and not when the answer arrives. */
function copying(adapter: CustomAdapter): CustomAdapter {
  return {
    ...adapter,
    findOne: async (query) => structuredClone(await adapter.findOne(query)) as never,
    findMany: async (query) => structuredClone(await adapter.findMany(query)) as never,
  }
}

type Auth = ReturnType<typeof createAuth>

async function signUp(auth: Auth, origin: string): Promise<string> {
  const user = { email: 'alice@school.example', password: 'a password, long enough', name: 'Alice' }
  const headers = { 'content-type': 'application/json', origin }
  const request = { method: 'POST', headers, body: JSON.stringify(user) }
  const answer = await auth.handler(new Request(`${origin}/api/auth/sign-up/email`, request))
  const cookies = answer.headers.getSetCookie()
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}

/** Without a page for consent. */
async function newClient(auth: Auth, cookie: string): Promise<string> {
  const { client_id } = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie }),
    body: {
      client_name: 'A client of the kit',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      scope: SCOPES.join(' '),
      skip_consent: true,
    },
  })
  return client_id
}
