import { type HttpResponse, OAuthError } from '@grantkit/core'
import { clientDocuments } from '@grantkit/core/client-documents'
import { ERRORS } from '@grantkit/core/errors'
import { knownClients } from '@grantkit/known-clients'
import { authorizationQuery, register } from '../client.ts'
import { REDIRECT_URI, type Service } from '../service.ts'
import { type Fault, from, pageOf } from './fault.ts'

const DOCUMENT = 'https://editor.dev/client.json'
const documentHost = (status: number, members: object) =>
  clientDocuments({
    fetch: async () => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: DOCUMENT, client_name: 'Editor', ...members }),
    }),
  })

function registration(service: Service, redirect_uris: readonly string[]): Promise<HttpResponse> {
  return service.send('POST', '/api/oauth/register', { json: { redirect_uris } })
}

/** The app is not known, or wants its answer elsewhere. */
export const CLIENT_FAULTS: readonly Fault[] = [
  {
    fault: 'the app uses a client that is gone',
    provoke: async (service) => {
      const { clientId } = await register(service)
      await service.store.clients.remove(clientId)
      return pageOf(service, authorizationQuery(clientId))
    },
    verdict: 'client_unknown',
  },
  {
    fault: 'the loopback host differs from the registered one',
    provoke: async (service) => {
      const { clientId } = await register(service)
      const redirect_uri = 'http://localhost:7001/callback'
      return pageOf(service, authorizationQuery(clientId, { redirect_uri }))
    },
    verdict: 'redirect_uri_not_registered',
    compared: {
      'redirect_uri sent': 'http://localhost:7001/callback',
      'redirect_uri expected': 'http://127.0.0.1:7001/callback',
    },
  },
  {
    fault: 'the app registers the https callback of a website',
    provoke: (service) => registration(service, ['https://app.example/callback?tenant=1']),
    verdict: 'redirect_uri_refused',
    compared: { 'redirect_uri sent': 'https://app.example/callback' },
  },
  {
    fault: 'the app registers a private-use scheme',
    provoke: (service) => registration(service, ['com.example.app:/callback']),
    verdict: 'redirect_uri_refused',
    compared: { 'redirect_uri sent': 'com.example.app:/callback' },
  },
  {
    fault: 'the app registers loopback and other redirect URIs in one list, and they are not separated',
    provoke: (service) => registration(service, [REDIRECT_URI, 'https://vscode.dev/redirect']),
    verdict: 'redirect_uri_refused',
    compared: { 'redirect_uri sent': `${REDIRECT_URI} https://vscode.dev/redirect` },
  },
  {
    fault: 'the app registered one address and sends another',
    provoke: async (service) => {
      const client = { redirectUris: ['https://n8n.example/rest/oauth2/callback'], clientName: 'n8n' }
      const { clientId } = await service.server.clients.add({ ...client, confidential: true } as never)
      const redirect_uri = 'http://n8n.example:5678/rest/oauth2/callback'
      return pageOf(service, authorizationQuery(clientId, { redirect_uri }))
    },
    verdict: 'redirect_uri_not_registered',
    compared: {
      'redirect_uri sent': 'http://n8n.example:5678/rest/oauth2/callback',
      'redirect_uri expected': 'https://n8n.example/rest/oauth2/callback',
    },
  },
  {
    fault: 'the host of a client document refuses the server',
    options: { features: [documentHost(403, {})] },
    provoke: (service) => pageOf(service, authorizationQuery(DOCUMENT)),
    verdict: 'document_unreachable',
    compared: { document: DOCUMENT, fault: 'status 403' },
  },
  {
    fault: 'a document is offered where the server expects a registration',
    provoke: (service) => pageOf(service, authorizationQuery(DOCUMENT)),
    verdict: 'client_unknown',
  },
  {
    fault: 'the address that the app offers as its document has none',
    options: { features: [documentHost(200, { redirect_uris: 'none' })] },
    provoke: (service) => pageOf(service, authorizationQuery(DOCUMENT)),
    verdict: 'document_invalid',
    compared: { document: DOCUMENT, fault: 'redirect_uris: Invalid input: expected array, received string' },
  },
  {
    fault: 'a feature does not accept the client of a valid document',
    options: {
      features: [
        documentHost(200, { redirect_uris: [REDIRECT_URI] }),
        () => ({
          checkClient({ clientName }) {
            throw new OAuthError(ERRORS.client_metadata_invalid, `client_name: ${clientName} is reserved`)
          },
        }),
      ],
    },
    provoke: (service) => pageOf(service, authorizationQuery(DOCUMENT)),
    verdict: 'document_refused',
    compared: { document: DOCUMENT, fault: 'client_name: Editor is reserved' },
  },
  {
    fault: 'too many clients register from one address',
    options: { rateLimiter: { take: async () => 30 } },
    provoke: (service) => registration(from('203.0.113.7', service), [REDIRECT_URI]),
    verdict: 'too_many_registrations',
  },
  {
    fault: 'the app registers the callback of a known client that is not allowed',
    options: { redirectUriPolicy: knownClients({ only: ['chatgpt'] }).redirectUriPolicy },
    provoke: (service) => registration(service, ['https://claude.ai/api/mcp/auth_callback']),
    verdict: 'known_client_off',
    compared: { redirect_uri: 'https://claude.ai/api/mcp/auth_callback', entry: 'claude' },
  },
]
