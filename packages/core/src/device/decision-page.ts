import { scopesInWords } from '../authorization/consent-page.ts'
import type { Session } from '../authorization/interaction.ts'
import { sealTicket, type TicketSubject } from '../authorization/ticket.ts'
import { CLIENT_ERRORS } from '../clients/client-sources.ts'
import { publicClient } from '../clients/public-client.ts'
import { type HttpRequest, type HttpResponse, securePage } from '../http/http.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { newId } from '../kernel/secrets.ts'
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
  { kernel, interaction, secret, paths }: DeviceContext,
  session: Session,
  { request, requestId, userCode }: TypedRequest,
  http: HttpRequest,
): Promise<HttpResponse> {
  const client = await kernel.store.clients.find(request.clientId)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  const about = decisionSubject(session, requestId, request)
  const page = await interaction.devicePage({
    session,
    client: publicClient(client),
    userCode,
    age: kernel.now() - request.createdAt,
    sameNetwork: isSameNetwork(request, http),
    scopes: scopesInWords(kernel, request.scopes, () => false),
    resources: request.resources,
    action: `${paths.decision}?request=${requestId}`,
    ticket: sealTicket(secret, about, request.endsAt, newId(kernel.random)),
  })
  return securePage(page)
}

/** The grant id tells this request from another one that gets the same code later. */
export function decisionSubject(
  { id }: Session,
  requestId: string,
  { grantId, scopes }: DeviceRequest,
): TicketSubject {
  return { purpose: 'device', session: id, query: [requestId, grantId, ...scopes].join(' ') }
}

function isSameNetwork({ address }: DeviceRequest, { remoteAddress }: HttpRequest): boolean | undefined {
  if (address === undefined || remoteAddress === undefined) return undefined
  return networkOf(remoteAddress) === networkOf(address)
}
