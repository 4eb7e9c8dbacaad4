import type { Server } from 'node:http'
import { getOAuthProviderApi, oauthProvider } from '@better-auth/oauth-provider'
import { createAdaptorServer } from '@hono/node-server'
import { betterAuth } from 'better-auth'
import { bearerGet } from '../src/http-text.ts'
import { listen } from '../src/listen.ts'
import {
  authorizeWork,
  codeWork,
  introspectWork,
  metadataWork,
  protectedWork,
  refreshWork,
  registerWork,
} from '../src/requests.ts'
import { authorizationQuery, CLIENT_METADATA, REDIRECT_URI, SCOPE, SCOPES, VERIFIER } from '../src/sample.ts'
import type { StartTarget } from '../src/target.ts'
import { mapAdapter } from './better-auth-tables.ts'

/** Without `offline_access` it issues no refresh token. */
const REFRESHABLE = `offline_access ${SCOPE}`

/**
 * Behind Hono's server. Without its JWT plugin, tokens are opaque, and a client may introspect only its own. Its API
 * guard reads JWTs or asks over HTTP, so `/notes` calls the check of opaque tokens directly.
 */
export const start: StartTarget = async (port) => {
  const origin = `http://127.0.0.1:${port}`
  const auth = createAuth(origin)
  const user = await signUp(auth, origin)
  const api = getOAuthProviderApi({ context: await auth.$context } as never, PROVIDER)
  async function answer(request: Request): Promise<Response> {
    if (!request.url.endsWith('/notes')) return auth.handler(request)
    const token = (request.headers.get('authorization') ?? '').slice('Bearer '.length)
    const owner = await ownerOf(token)
    return owner === undefined ? new Response(null, { status: 401 }) : Response.json({ owner })
  }
  async function ownerOf(token: string): Promise<unknown> {
    try {
      return (await api.requireActiveAccessToken(token)).sub
    } catch {
      return undefined
    }
  }
  await listen(createAdaptorServer({ fetch: answer, overrideGlobalObjects: false }) as Server, port)

  const native = await createClient(auth, user, 'none')
  const confidential = await createClient(auth, user, 'client_secret_post')
  async function newCode({ client_id = '' }: Partial<typeof native>) {
    const query = authorizationQuery(client_id, { scope: REFRESHABLE })
    const request = new Request(`${origin}/api/auth/oauth2/authorize?${query}`, { headers: { cookie: user } })
    const answered = await auth.handler(request)
    return new URL(answered.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  async function newTokens(client: typeof native) {
    const credentials = credentialsOf(client)
    const form = { grant_type: 'authorization_code', ...credentials, code: await newCode(client) }
    const body = new URLSearchParams({ ...form, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER })
    const answered = await auth.handler(
      new Request(`${origin}/api/auth/oauth2/token`, { method: 'POST', body }),
    )
    return (await answered.json()) as { access_token: string; refresh_token: string }
  }
  const accessToken = (client: typeof native) => async () => (await newTokens(client)).access_token
  const refreshToken = async () => (await newTokens(native)).refresh_token
  const at = (path: string) => `/api/auth${path}`
  return {
    opens: (token) => bearerGet('/notes', token),
    work: {
      register: registerWork(at('/oauth2/register'), { ...CLIENT_METADATA, application_type: 'native' }),
      code: codeWork(at('/oauth2/token'), native.client_id, () => newCode(native)),
      refresh: refreshWork(at('/oauth2/token'), native.client_id, refreshToken),
      protected: protectedWork('/notes', accessToken(native)),
      introspect: introspectWork(
        at('/oauth2/introspect'),
        credentialsOf(confidential),
        accessToken(confidential),
      ),
      authorize: authorizeWork(at('/oauth2/authorize'), native.client_id),
      metadata: metadataWork(at('/.well-known/oauth-authorization-server')),
    },
  }
}

function createAuth(baseURL: string) {
  return betterAuth({
    baseURL,
    secret: 'a secret of the benchmark, long enough to pass',
    database: mapAdapter(),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [oauthProvider(PROVIDER)],
  })
}

const PROVIDER = {
  loginPage: '/login',
  consentPage: '/consent',
  scopes: ['openid', 'offline_access', ...SCOPES],
  allowDynamicClientRegistration: true,
  allowUnauthenticatedClientRegistration: true,
  disableJwtPlugin: true,
}

function credentialsOf(client: { client_id: string; client_secret?: string }) {
  const { client_id, client_secret = '' } = client
  return { client_id, ...(client_secret === '' ? {} : { client_secret }) } as Record<
    'client_id' | 'client_secret',
    string
  >
}

type Auth = ReturnType<typeof createAuth>

async function signUp(auth: Auth, origin: string): Promise<string> {
  const body = JSON.stringify({
    email: 'alice@school.example',
    password: 'a password, long enough',
    name: 'Alice',
  })
  const headers = { 'content-type': 'application/json', origin }
  const answer = await auth.handler(
    new Request(`${origin}/api/auth/sign-up/email`, { method: 'POST', headers, body }),
  )
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** Creates a client without consent, so that codes can be made without a browser. */
function createClient(auth: Auth, cookie: string, method: 'none' | 'client_secret_post') {
  const { client_name, redirect_uris, grant_types, response_types } = CLIENT_METADATA
  return auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie }),
    body: {
      client_name,
      redirect_uris: [...redirect_uris],
      grant_types: [...grant_types],
      response_types: [...response_types],
      token_endpoint_auth_method: method,
      application_type: 'native',
      scope: REFRESHABLE,
      skip_consent: true,
    },
  })
}
