import type { AuthorizationServer } from '@grantkit/core'
import { type Credentials, REDIRECT_URI, registration } from './requests.ts'

/** The clients that every server begins with. */
export interface Cast {
  /** Public, registered for everything. */
  readonly app: Credentials
  /** Confidential, with a secret. */
  readonly vault: Credentials
  /** Public, for two scopes. */
  readonly reader: Credentials
  /** Public, without refresh tokens. */
  readonly guest: Credentials
  /** Public, with ID tokens signed by EdDSA. */
  readonly modern: Credentials
  /** An integration whose users are not asked again. */
  readonly crm: Credentials
  /** An integration that sees the tokens of all clients. */
  readonly api: Credentials
}

export const CRM_REDIRECT_URI = 'https://crm.example/callback'

const MORE_URIS = ['http://[::1]/callback', 'http://localhost:7002/callback', 'http://127.0.0.1/with?query=1']

export async function registerCast(server: AuthorizationServer): Promise<Cast> {
  const register = (metadata: object) => registered(server, metadata)
  return {
    app: await register({ client_name: 'App', redirect_uris: [REDIRECT_URI, ...MORE_URIS] }),
    vault: await register({ client_name: 'Vault', token_endpoint_auth_method: 'client_secret_post' }),
    reader: await register({ client_name: 'Reader', scope: 'courses:read students:read' }),
    guest: await register({ client_name: 'Guest', grant_types: ['authorization_code'] }),
    modern: await register({ client_name: 'Modern', id_token_signed_response_alg: 'EdDSA' }),
    crm: await added(server, { redirect_uris: [CRM_REDIRECT_URI], remember_consent: true }, 'CRM'),
    api: await added(server, { redirect_uris: [], resource_server: true }, 'API'),
  }
}

async function registered({ routes }: AuthorizationServer, metadata: object): Promise<Credentials> {
  const { method, path, headers = {}, body = '' } = registration(metadata)
  const route = routes.find((candidate) => candidate.path.endsWith(path))
  const answer = await route?.handle({ method, path, query: '', headers, body })
  if (answer?.status !== 201) throw new Error(`The registration was refused: ${answer?.body}`)
  return credentialsOf(JSON.parse(answer.body))
}

async function added(
  { clients }: AuthorizationServer,
  integration: { redirect_uris: string[]; remember_consent?: boolean; resource_server?: boolean },
  client_name: string,
): Promise<Credentials> {
  return credentialsOf(await clients.add({ ...integration, client_name }))
}

function credentialsOf({ client_id, client_secret }: Credentials): Credentials {
  return client_secret === undefined ? { client_id } : { client_id, client_secret }
}
