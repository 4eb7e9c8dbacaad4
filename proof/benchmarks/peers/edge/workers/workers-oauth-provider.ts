import {
  type OAuthHelpers,
  OAuthProvider,
  type OAuthProviderOptions,
} from '@cloudflare/workers-oauth-provider'

/** What its KV namespace must do. */
export interface Kv {
  get(key: string, options?: { type?: string }): Promise<unknown>
  put(key: string, value: string, options?: object): Promise<void>
  delete(key: string): Promise<void>
  list(options?: object): Promise<unknown>
}

export interface PeerEnv {
  readonly OAUTH_KV: Kv
}

type Fetch = (request: Request, env: PeerEnv, context: object) => Promise<Response>

/**
 * `@cloudflare/workers-oauth-provider` with its defaults, in one Worker. Every visitor is Alice, who allows everything.
 *
 * @param kvOf the namespace for a request. Default: the binding
 */
export function peerWorker(kvOf: (request: Request, kv: Kv) => Kv = (_, kv) => kv): { fetch: Fetch } {
  let provider: { fetch: Fetch } | undefined
  return {
    async fetch(request, env, context) {
      provider ??= new OAuthProvider(optionsFor(new URL(request.url).origin)) as unknown as { fetch: Fetch }
      return provider.fetch(request, { ...env, OAUTH_KV: kvOf(request, env.OAUTH_KV) }, context)
    },
  }
}

function optionsFor(origin: string): OAuthProviderOptions {
  return {
    apiRoute: '/notes',
    apiHandler: {
      fetch: async (_: unknown, __: unknown, { props }: { props: unknown }) => Response.json(props),
    },
    defaultHandler: { fetch: authorize },
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/token',
    clientRegistrationEndpoint: '/register',
    scopesSupported: ['notes:read'],
    resourceMetadata: { resource: `${origin}/notes` },
    onError() {},
  } as unknown as OAuthProviderOptions
}

async function authorize(
  request: Request,
  { OAUTH_PROVIDER }: { OAUTH_PROVIDER: OAuthHelpers },
): Promise<Response> {
  if (new URL(request.url).pathname !== '/authorize') return new Response(null, { status: 404 })
  const { redirectTo } = await OAUTH_PROVIDER.completeAuthorization({
    request: await OAUTH_PROVIDER.parseAuthRequest(request),
    userId: 'alice',
    metadata: {},
    scope: ['notes:read'],
    props: { owner: 'alice' },
    // Each sign-in is one more grant, as at Grantkit.
    revokeExistingGrants: false,
  })
  return Response.redirect(redirectTo, 302)
}
