import type { Server } from 'node:http'
import { getOAuthProviderApi, oauthProvider } from '@better-auth/oauth-provider'
import { createAdaptorServer } from '@hono/node-server'
import { betterAuth } from 'better-auth'
import { listen } from '../src/machine.ts'
import {
  authorizationRequest,
  CLIENT_METADATA,
  codeForm,
  REDIRECT_URI,
  SCOPE,
  SCOPES,
  targetOf,
} from '../src/requests.ts'
import type { StartTarget } from '../src/workloads.ts'
import { mapAdapter } from './better-auth-tables.ts'

const PROVIDER = {
  loginPage: '/login',
  consentPage: '/consent',
  scopes: ['openid', 'offline_access', ...SCOPES],
  disableJwtPlugin: true,
}
/** Without `offline_access` it issues no refresh token. */
const REFRESHABLE = `offline_access ${SCOPE}`
const PATH = '/api/auth/oauth2'

/**
 * Behind Hono's server. Without its JWT plugin, tokens are opaque, and a client may introspect only its own. Its API
 * guard reads JWTs or asks over HTTP, so `/notes` calls the check of opaque tokens directly.
 */
export const start: StartTarget = async (port) => {
  const origin = `http://127.0.0.1:${port}`
  const auth = createAuth(origin)
  const cookie = await signUp(auth, origin)
  const api = getOAuthProviderApi({ context: await auth.$context } as never, PROVIDER)
  const ownerOf = async (token: string) => (await api.requireActiveAccessToken(token)).sub
  async function answer(request: Request): Promise<Response> {
    if (!request.url.endsWith('/notes')) return auth.handler(request)
    const [, token = ''] = (request.headers.get('authorization') ?? '').split('Bearer ')
    const owner = await ownerOf(token).catch(() => undefined)
    return owner === undefined ? Response.json({}, { status: 401 }) : Response.json({ owner })
  }
  await listen(createAdaptorServer({ fetch: answer, overrideGlobalObjects: false }) as Server, port)

  const native = await createClient(auth, cookie, 'none')
  const confidential = await createClient(auth, cookie, 'client_secret_post')
  async function newCode({ client_id }: Credentials) {
    const query = new URLSearchParams(authorizationRequest(client_id, { scope: REFRESHABLE }))
    const request = new Request(`${origin}${PATH}/authorize?${query}`, { headers: { cookie } })
    const answered = await auth.handler(request)
    return new URL(answered.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  async function newTokens(client: Credentials) {
    const body = new URLSearchParams({ ...codeForm(client.client_id, await newCode(client)), ...client })
    const answered = await auth.handler(new Request(`${origin}${PATH}/token`, { method: 'POST', body }))
    return (await answered.json()) as { access_token: string; refresh_token: string }
  }
  return targetOf({
    token: `${PATH}/token`,
    clientId: native.client_id,
    newCode: () => newCode(native),
    newTokens: () => newTokens(native),
    notes: '/notes',
    introspection: {
      path: `${PATH}/introspect`,
      client: confidential,
      newTokens: () => newTokens(confidential),
    },
  })
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

type Auth = ReturnType<typeof createAuth>

async function signUp(auth: Auth, origin: string): Promise<string> {
  const user = { email: 'alice@school.example', password: 'a password, long enough', name: 'Alice' }
  const headers = { 'content-type': 'application/json', origin }
  const request = { method: 'POST', headers, body: JSON.stringify(user) }
  const answer = await auth.handler(new Request(`${origin}/api/auth/sign-up/email`, request))
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** The secret is empty for a public client, and is then ignored. */
type Credentials = Record<'client_id' | 'client_secret', string>

/** Creates a client without consent, so that codes can be made without a browser. */
async function createClient(
  auth: Auth,
  cookie: string,
  token_endpoint_auth_method: 'none' | 'client_secret_post',
): Promise<Credentials> {
  const { client_id, client_secret = '' } = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie }),
    body: {
      client_name: CLIENT_METADATA.client_name,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method,
      application_type: 'native',
      scope: REFRESHABLE,
      skip_consent: true,
    },
  })
  return { client_id, client_secret }
}
