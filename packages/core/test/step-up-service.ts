import {
  type AuthorizationServerOptions,
  createResourceServer,
  type HttpResponse,
  type RequiredSignIn,
} from '@grantkit/core'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  decide,
  redeem,
  redirectOf,
  register,
  type TokenAnswer,
} from './client.ts'
import { ISSUER, openService, SCOPES, type ServiceScope } from './service.ts'

/** A server with classes of sign-ins, a client, and an API whose routes demand them. */

export const CLASSES = ['pwd', 'mfa', 'phr'] as const

interface Settings {
  readonly required?: boolean
  readonly server?: Partial<AuthorizationServerOptions<ServiceScope>>
  readonly client?: object
}

export async function openStepUp({ server = {}, client: metadata, required }: Settings = {}) {
  const service = openService({ ...server, stepUp: { classes: CLASSES, required } })
  const client = await register(service, { token_endpoint_auth_method: 'client_secret_post', ...metadata })
  const now = () => service.clock.now
  const guard = createResourceServer({
    ...{ resource: ISSUER, store: service.store, scopes: SCOPES, now },
    authenticationClasses: CLASSES,
  })
  const query = (parameters: Record<string, string> = {}) => authorizationQuery(client.clientId, parameters)
  const ask = (browser: string, parameters: Record<string, string> = {}) =>
    authorize(service, query(parameters), { cookie: browser })
  /** Consent, whose page was shown, and the tokens. */
  const allow = async (browser: string): Promise<TokenAnswer> => {
    const { code = '' } = redirectOf(await decide(service, {}, { cookie: browser }))
    return bodyOf<TokenAnswer>(await redeem(service, client, code))
  }
  return {
    ...{ service, client, guard, query, ask, allow },
    /** Alice's browser after a sign-in of this class, now. */
    signedIn: (acr = '', amr = '') => `user=alice@${now()}${acr && `/${acr}`}${amr && `/${amr}`}`,
    async tokens(browser: string, parameters: Record<string, string> = {}): Promise<TokenAnswer> {
      await ask(browser, parameters)
      return allow(browser)
    },
    introspect: (token: string) => introspect(service, client, token),
    call: (token: string, signIn: RequiredSignIn, ...scopes: ServiceScope[]) =>
      called(guard.requiring(signIn).access(requestWith(token), ...scopes)),
  }
}

export type StepUpService = Awaited<ReturnType<typeof openStepUp>>

export function requestWith(token: string) {
  return { method: 'POST', path: '/pay', query: '', body: '', headers: { authorization: `Bearer ${token}` } }
}

/** Status and challenge of a call. */
export async function called(
  access: Promise<{ readonly kind: string; readonly response?: HttpResponse }>,
): Promise<{ readonly status: number; readonly challenge: string }> {
  const { response } = await access
  return { status: response?.status ?? 200, challenge: String(response?.headers['www-authenticate'] ?? '') }
}

async function introspect(
  { send }: Pick<ReturnType<typeof openService>, 'send'>,
  { clientId, clientSecret = '' }: ClientAnswer,
  token: string,
): Promise<Record<string, unknown>> {
  const form = { token, client_id: clientId, client_secret: clientSecret }
  return bodyOf(await send('POST', '/api/oauth/introspect', { form }))
}
