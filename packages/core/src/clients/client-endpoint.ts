/**
 * Client authentication at the token, revocation and introspection endpoints and at endpoints of features. It turns a form into
 * the response to an authenticated client. It reads clients and changes none.
 */
import type { Endpoint, EndpointDescription } from '../http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import { formParameters, type Parameters } from '../http/message.ts'
import type { Observer, PresentedRecords } from '../kernel/events.ts'
import type { Clients } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { type Limiter, limitFailures } from '../limits/rate-limits.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import {
  AUTHENTICATION_ERRORS,
  authenticatedClient,
  type ClientAuthMethod,
  type Presented,
  type ReadProof,
} from './authentication/client-authentication.ts'
import { CLIENT_ERRORS } from './client-record.ts'

/**
 * An endpoint that takes a form from a client and its credentials: token, revocation, introspection. All of them
 * authenticate clients in the same way, and their failures are counted.
 */
export interface ClientEndpoint extends Omit<EndpointDescription, 'clients'> {
  /** Whether the metadata lists its authentication methods, as RFC 8414 2 does for three endpoints. */
  readonly listsAuthMethods?: boolean | undefined
  /** Whether public clients are refused. */
  readonly confidential?: boolean | undefined
  /** The client that a request without `client_id` and credentials comes from, if the form reveals it. It must be public. */
  clientOf?(form: Parameters): Promise<string> | undefined
  /**
   * Reads the message before the client is known. A malformed message is refused first, and the records it names load
   * in parallel with the client.
   *
   * @param now the time at which the request was read, in epoch seconds
   * @returns the function that answers the client
   */
  begin(form: Parameters, now: number): AnswerClient
  /** The records that a refused request names, for an observer. */
  recordsOf?(form: Parameters): Promise<PresentedRecords>
  /**
   * Answers a client that no user has approved yet. Its document is fetched only for a signed-in user, so its credentials
   * cannot be checked. Default: it is refused.
   */
  answerUnapproved?(
    clientId: string,
    form: Parameters,
    request: HttpRequest,
    now: number,
  ): Promise<HttpResponse>
}

/** @param constraint by which the client proves keys, if the server binds tokens to any */
type AnswerClient = (
  client: Client,
  request: HttpRequest,
  constraint?: SenderConstraint,
) => Promise<HttpResponse> | HttpResponse

interface ClientEndpointContext {
  readonly readProof: ReadProof
  readonly clients: Clients
  readonly limiter: Limiter
  readonly observer?: Observer | undefined
  readonly senderConstraint?: SenderConstraint | undefined
  readonly now: () => number
}

export function clientEndpoint(definition: ClientEndpoint, context: ClientEndpointContext): Endpoint {
  const { path, metadataName, summary, message, confidential } = definition
  return {
    ...{ path, metadataName, summary, message },
    clients: confidential ? 'confidential' : 'all',
    methods: ['POST'],
    cors: true,
    answer: (request) => answerClient(definition, context, request),
  }
}

/** `<endpoint>_auth_methods_supported` (RFC 8414 2). */
export function authMethodsOf(
  endpoints: readonly ClientEndpoint[],
  methods: readonly ClientAuthMethod[],
): Readonly<Record<string, readonly string[]>> {
  const listed = endpoints.filter(({ listsAuthMethods }) => listsAuthMethods)
  return Object.fromEntries(
    listed.map(({ metadataName, confidential }) => [
      `${metadataName}_auth_methods_supported`,
      methods.map(({ name }) => name).filter((name) => !confidential || name !== 'none'),
    ]),
  )
}

async function answerClient(
  endpoint: ClientEndpoint,
  { readProof, clients, limiter, observer, senderConstraint, now: clock }: ClientEndpointContext,
  request: HttpRequest,
): Promise<HttpResponse> {
  let form: Parameters = {}
  let presented: Presented | undefined
  let found: Promise<Client | undefined> | undefined
  try {
    // Before anything is awaited.
    const now = clock()
    form = formParameters(request)
    const answer = endpoint.begin(form, now)
    presented = readProof(request, form)
    if (presented.method === 'none' && presented.proof.clientId === undefined) {
      const client_id = await endpoint.clientOf?.(form)
      if (client_id !== undefined) presented = readProof(request, { ...form, client_id })
    }
    const { clientId } = presented.proof
    found = clientId === undefined ? undefined : clients.find(clientId)
    const client = await found
    if (client === undefined && clientId !== undefined && clients.describedBy(clientId) !== undefined) {
      if (endpoint.answerUnapproved) return await endpoint.answerUnapproved(clientId, form, request, now)
      throw new OAuthError(CLIENT_ERRORS.client_not_approved)
    }
    const checked = authenticatedClient(presented, client, now)
    const authenticated = checked instanceof Promise ? await checked : checked
    if (endpoint.confidential && authenticated.tokenEndpointAuthMethod === 'none')
      throw new OAuthError(AUTHENTICATION_ERRORS.client_not_confidential)
    return await answer(authenticated, request, senderConstraint)
  } catch (thrown) {
    if (observer !== undefined) {
      const parameters = { ...form, client_id: presented?.proof.clientId ?? form.client_id }
      const client = await found?.catch(() => undefined)
      const records = (await endpoint.recordsOf?.(form)) ?? {}
      const fact = {
        fact: 'client_refused',
        endpoint: endpoint.metadataName,
        parameters,
        client,
        records,
      } as const
      observer.report(fact, request)
    }
    throw await limitFailures(limiter, thrown, request, found)
  }
}
