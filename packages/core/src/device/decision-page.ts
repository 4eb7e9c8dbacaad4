import { scopesInWords } from '../authorization/consent-page.ts'
import type { Session } from '../authorization/interaction.ts'
import { publicClient } from '../clients/client-record.ts'
import { CLIENT_ERRORS } from '../clients/client-sources.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { networkOf } from '../limits/caller-network.ts'
import type { DeviceContext } from './device-context.ts'
import type { DeviceRequest } from './device-request.ts'

/** The request whose code the user typed. */
export interface TypedRequest {
  readonly request: DeviceRequest
  readonly requestId: string
  readonly userCode: string
}

/** The page on which the user decides. It is shown every time: no consent to a device is remembered. */
export async function askUser(
  { server, pages, decisionTickets, paths }: DeviceContext,
  session: Session,
  { request, requestId, userCode }: TypedRequest,
  http: HttpRequest,
): Promise<HttpResponse> {
  const client = await server.store.clients.find(request.clientId)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  const page = await pages.devicePage({
    session,
    client: publicClient(client),
    userCode,
    age: server.now() - request.createdAt,
    sameNetwork: isSameNetwork(request, http),
    scopes: scopesInWords(server, request.scopes, () => false),
    resources: request.resources,
    action: `${paths.decision}?request=${requestId}`,
    ticket: decisionTickets.seal(decisionForm(session, requestId, request), request.endsAt),
  })
  return securePage(page)
}

/** The grant id tells this request from another one that gets the same code later. */
export function decisionForm({ id }: Session, requestId: string, { grantId, scopes }: DeviceRequest) {
  return { session: id, query: [requestId, grantId, ...scopes].join(' ') }
}

function isSameNetwork({ address }: DeviceRequest, { remoteAddress }: HttpRequest): boolean | undefined {
  if (address === undefined || remoteAddress === undefined) return undefined
  return networkOf(remoteAddress) === networkOf(address)
}
