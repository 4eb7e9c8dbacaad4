import type { Client } from './client-authentication.ts'
import { jsonOf, textOf } from './metadata.ts'
import type { Transport } from './transport.ts'

export interface Registration {
  readonly redirectUri: string
  readonly scope: string
  /** Whether its tokens are bound to keys (RFC 9449). */
  readonly dpop: boolean
}

/**
 * Registers a client for the run (RFC 7591).
 *
 * @throws Error when the server does not register it
 */
export async function registerClient(
  transport: Transport,
  endpoint: string | undefined,
  { redirectUri, scope, dpop }: Registration,
): Promise<Client> {
  if (endpoint === undefined)
    throw new Error('The server has no registration endpoint. Name clients by --client.')
  const document = {
    client_name: 'grantkit-torture',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope,
    ...(dpop && { dpop_bound_access_tokens: true }),
  }
  const headers = { 'content-type': 'application/json' }
  const { answer } = await transport.send({
    method: 'POST',
    url: endpoint,
    headers,
    body: JSON.stringify(document),
  })
  const registered = jsonOf(answer?.body ?? '')
  const id = textOf(registered?.client_id)
  if (id === undefined)
    throw new Error(`The registration was refused with status ${answer?.status ?? 'none'}.`)
  const secret = textOf(registered?.client_secret)
  return secret === undefined ? { id, method: 'none' } : { id, secret, method: methodOf(registered) }
}

function methodOf(registered: Record<string, unknown> | undefined): Client['method'] {
  return registered?.token_endpoint_auth_method === 'client_secret_post' ? 'post' : 'basic'
}
