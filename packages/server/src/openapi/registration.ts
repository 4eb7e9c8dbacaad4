import type { DescribedServer, Operations } from './described-server.ts'
import { messageOf, registrationRequest } from './requests.ts'
import { BODY_ERRORS, challenged, error, json } from './responses.ts'
import { ClientInformation } from './schemas.ts'
import { INITIAL_ACCESS_TOKEN } from './security-scheme.ts'

const EXAMPLE = {
  client_name: 'My tool',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1:8123/callback'],
  token_endpoint_auth_method: 'none',
}

const WITH_TOKEN = 'With an initial access token of the operator, for'
const WITHOUT_TOKEN = challenged(
  '`invalid_token`: the initial access token is missing, unknown, expired or used up',
)

/** Dynamic client registration (RFC 7591). @param named adds a schema to the document */
export function registrationEndpoint(
  { mounted, known, registersWithToken }: DescribedServer,
  named: (name: string, schema: object) => { $ref: string },
): Operations {
  const message = messageOf(mounted, 'registration_endpoint')
  if (message === undefined) return {}
  const schema = named('ClientRegistration', registrationRequest(message))
  const rows = known.map(({ name, redirectUris }) => `\n- ${name}: ${redirectUris.join(' ')}`)
  const others =
    rows.length === 0
      ? 'A fixed https callback is rejected.'
      : `Any other is rejected, except those of known clients, exactly as written here:\n${rows.join('')}`
  return {
    'post /api/oauth/register': {
      operationId: 'registerClient',
      description: `${registersWithToken ? WITH_TOKEN : 'Open to'} clients whose redirect URIs are loopback addresses. ${others}`,
      ...(registersWithToken && { security: [{ [INITIAL_ACCESS_TOKEN]: [] }] }),
      request: { body: { required: true, content: { 'application/json': { schema, example: EXAMPLE } } } },
      responses: {
        201: json('Registered; the metadata as it took effect', ClientInformation),
        400: error('`invalid_redirect_uri`: such as one that is not a loopback address'),
        ...(registersWithToken && { 401: WITHOUT_TOKEN }),
        ...BODY_ERRORS,
      },
    },
  }
}
