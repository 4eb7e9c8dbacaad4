/**
 * Client authentication (RFC 6749 2.3). It finds the authenticated client of a request. Each method
 * is a `ClientAuthMethod`. A request uses exactly one of them.
 */
import * as z from 'zod'
import { type HttpRequest, header } from '../../http/http.ts'
import { type Parameters, readMessage, text } from '../../http/message.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { CLIENT_ERRORS, MAX_CLIENT_ID_LENGTH } from '../client-sources.ts'
import { BASIC_ERRORS, type BasicCredentials, basicCredentials } from './basic-credentials.ts'

export const AUTHENTICATION_ERRORS = defineErrors({
  client_not_identified: ['invalid_client', 'client_id is missing'],
  client_auth_methods_mixed: [
    'invalid_request',
    'The client authenticated in more than one way. Use one method',
  ],
  client_auth_method_mismatch: [
    'invalid_client',
    'The client must use the token_endpoint_auth_method of its registration',
  ],
  client_secret_wrong: ['invalid_client', 'The client secret is wrong. Send the secret of this client_id'],
  client_secret_expired: [
    'invalid_client',
    'The client secret has expired. Send the newest secret of this client_id, or ask the operator for one',
  ],
  client_proof_invalid: [
    'invalid_client',
    'The client authentication is not valid. Check its key, times and audience',
  ],
  client_not_confidential: [
    'invalid_client',
    'This endpoint requires client authentication. Use a confidential client',
  ],
})

/**
 * Client credentials at the token, revocation and introspection endpoints, in the form or by HTTP Basic.
 *
 * @example
 * ```ts
 * import { ClientCredentials } from '@grantkit/core/feature'
 * import * as z from 'zod'
 *
 * // The message of an endpoint that authenticates its clients.
 * const StatusRequest = z.object({ ...ClientCredentials.shape, job: z.string() })
 * ```
 */
export const ClientCredentials = z.object({
  client_id: text(MAX_CLIENT_ID_LENGTH).optional(),
  client_secret: text(200).optional(),
  client_assertion: z.string().optional(),
  client_assertion_type: z.string().optional(),
})
export type ClientCredentials = z.infer<typeof ClientCredentials>

/** A client authentication method, by its name in the registry of RFC 8414 7.1. */
export interface ClientAuthMethod {
  readonly name: string
  /**
   * Where the credential is: in the header `authorization`, in a parameter of this name, or in another header, which the proxy
   * that terminates TLS sets (RFC 8705 2). Absent: there is none.
   */
  readonly carrier?: string | { readonly header: string } | undefined
  /** Whether its clients authenticate with a client secret, which the server then generates for each. Default false. */
  readonly usesSecret?: boolean | undefined
  /** Whether a self-registered client may use it. Default: only a static client may. */
  readonly selfRegistered?: boolean | undefined
  /**
   * Allows it for clients with metadata documents: returns what to keep of the document as `Client.featureMetadata`, or `undefined`
   * if this client cannot prove anything by it. Default: none of them uses it.
   */
  ofDocument?(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined
  /** The proof in the request, or `undefined` when its credential is not of this method. Checks nothing. */
  read(request: HttpRequest, credentials: ClientCredentials, form: Parameters): PresentedProof | undefined
}

export interface PresentedProof {
  readonly clientId: string | undefined
  /** Whether the proof holds. Any result but `true` is an error for the client. @throws OAuthError with a reason of its own */
  verify(client: Client): boolean | Promise<boolean>
}

/** The client that a request claims to come from, not verified yet. */
export interface Presented {
  readonly method: string
  readonly proof: PresentedProof
  /** Why no client is registered for this method; absent if there may be one. */
  readonly error?: ErrorDefinition | undefined
}

/** A client that uses these is not public, even if no offered method reads them. */
const STANDARD_CARRIERS = ['authorization', 'client_secret', 'client_assertion']

/** Reads the claimed client and its proof. @throws OAuthError for credentials that are malformed */
export type ReadProof = (request: HttpRequest, form: Parameters) => Presented

export function proofReader(methods: readonly ClientAuthMethod[]): ReadProof {
  const carriers = [
    ...new Set([...STANDARD_CARRIERS, ...methods.flatMap((method) => carrierOf(method) ?? [])]),
  ]
  return (request, form) => {
    const filled = onlyFilledCarrier(carriers, request, form)
    const basic = basicCredentials(request)
    const credentials = readMessage(ClientCredentials, basic === undefined ? form : joined(form, basic))
    // With an empty password the header only names the client, and a public client may do that.
    const carrier = basic !== undefined && basic.client_secret === undefined ? undefined : filled
    for (const method of methods) {
      const proof = carrierOf(method) === carrier ? method.read(request, credentials, form) : undefined
      if (proof !== undefined) return { method: method.name, proof }
    }
    return unsupported(credentials, basic)
  }
}

/** @throws OAuthError `invalid_request` when the form names another client than the header */
function joined(form: Parameters, basic: BasicCredentials): object {
  if (form.client_id !== undefined && form.client_id !== basic.client_id)
    throw new OAuthError(BASIC_ERRORS.client_basic_of_other_client)
  return { ...form, ...basic }
}

/** An unsupported method must not count as `none`, and no client is registered for this one. */
function unsupported({ client_id }: ClientCredentials, basic: BasicCredentials | undefined): Presented {
  return {
    method: 'unsupported',
    proof: { clientId: client_id, verify: () => false },
    error: basic && BASIC_ERRORS.client_basic_not_offered,
  }
}

/** The only carrier with a value. @throws OAuthError `invalid_request` when there are several (RFC 6749 5.2) */
function onlyFilledCarrier(
  carriers: readonly string[],
  request: HttpRequest,
  form: Parameters,
): string | undefined {
  let filled: string | undefined
  for (const carrier of carriers) {
    if (!isFilled(carrier, request, form)) continue
    if (filled !== undefined) throw new OAuthError(AUTHENTICATION_ERRORS.client_auth_methods_mixed)
    filled = carrier
  }
  return filled
}

const HEADER = 'header:'

function carrierOf({ carrier }: ClientAuthMethod): string | undefined {
  return typeof carrier === 'object' ? HEADER + carrier.header.toLowerCase() : carrier
}

function isFilled(carrier: string, request: HttpRequest, form: Parameters): boolean {
  if (carrier.startsWith(HEADER)) return (header(request, carrier.slice(HEADER.length)) ?? '') !== ''
  if (carrier === 'authorization') return request.headers.authorization !== undefined
  if (carrier === 'client_assertion' && form.client_assertion_type !== undefined) return true
  return form[carrier] !== undefined
}

/** Both send the same secret. Many libraries choose one of them regardless of the registration. */
const SECRET_METHODS = ['client_secret_post', 'client_secret_basic']

function accepts(client: Client, method: string): boolean {
  const { tokenEndpointAuthMethod: registered, otherAuthMethods = [] } = client
  return (
    registered === method ||
    (SECRET_METHODS.includes(registered) && SECRET_METHODS.includes(method)) ||
    otherAuthMethods.includes(method)
  )
}

/**
 * Verifies the proof of a client. Returns a promise only if the method needs one. An unknown client is refused at once:
 * which clients exist is no secret, because every authorization request shows its `client_id`.
 *
 * @returns the client for this request: a public one that authenticated by another method counts as confidential
 * @throws OAuthError `invalid_client`
 */
export function authenticatedClient(
  { method, proof, error = AUTHENTICATION_ERRORS.client_auth_method_mismatch }: Presented,
  found: Client | undefined,
): Client | Promise<Client> {
  if (proof.clientId === undefined) throw new OAuthError(AUTHENTICATION_ERRORS.client_not_identified)
  if (found === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  if (!accepts(found, method)) throw new OAuthError(error)
  const other = found.otherAuthMethods?.includes(method) === true
  const client = other ? { ...found, tokenEndpointAuthMethod: method } : found
  const holds = proof.verify(found)
  return holds instanceof Promise ? holds.then((held) => clientIf(held, client)) : clientIf(holds, client)
}

/** A method of a feature may be JavaScript: only `true` authenticates the client. */
function clientIf(holds: unknown, client: Client): Client {
  if (holds !== true) throw new OAuthError(AUTHENTICATION_ERRORS.client_proof_invalid)
  return client
}
