import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import OidcProvider from 'oidc-provider'
import { freePort } from './free-port.ts'

/** The claims of the provider for the user `login`. */
export type Claims = (login: string) => { readonly [claim: string]: unknown }

export type RunningProvider = Awaited<ReturnType<typeof runOpenIdProvider>>

export interface Authentication {
  readonly acr?: string
  readonly amr?: string[]
}

/** A real OpenID provider, at which `alice` signs in and consents without a page. @param callback our redirect URI */
export async function runOpenIdProvider(
  callback: string,
  claims: Claims,
  /** Seconds since `alice` signed in there. */
  age = 0,
  /** How she did. Default: the provider does not say. */
  authentication: Authentication = {},
) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const [clientId, clientSecret] = ['harbour', 'the secret of the school']
  const client = { client_id: clientId, client_secret: clientSecret }
  const op = new OidcProvider(issuer, {
    clients: [{ ...client, redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_post' }],
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    acrValues: ['pwd', 'phr', 'gold'],
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ sub, ...claims(sub) }) }),
    cookies: { keys: ['a key of the tests'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  })
  const answer = op.callback()
  const server = createServer((request, response) =>
    request.url?.startsWith('/interaction/')
      ? signIn(op, { age, ...authentication }, request, response)
      : answer(request, response),
  ).listen(port, '127.0.0.1')
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const options = { scope: 'openid email profile', signUp: false, linkVerifiedEmail: false, trustAcr: false }
  const flow = { protocol: 'openid', responseMode: 'query', pkce: true, nonce: true } as const
  const freshness = { prompts: ['login' as const], freshness: 'proven' as const }
  // As our settings name it.
  const named = { id: 'partner', label: 'Partner', issuer, clientId, clientSecret }
  const provider = { ...named, ...options, ...flow, ...freshness }
  return { provider, close }
}

async function signIn(
  op: OidcProvider,
  { age, ...authentication }: Authentication & { readonly age: number },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await op.interactionDetails(request, response)
  const grant = new op.Grant({ accountId: 'alice', clientId: String(params.client_id) })
  grant.addOIDCScope(String(params.scope))
  const grantId = await grant.save()
  const login = { accountId: 'alice', ts: Math.floor(Date.now() / 1000) - age, ...authentication }
  await op.interactionFinished(request, response, { login, consent: { grantId } })
}
