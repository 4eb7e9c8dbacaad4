/**
 * Client authentication (RFC 6749 2.3). It finds the authenticated client of a request. Each method
 * is a `ClientAuthMethod`. A request uses exactly one of them.
 */
import * as z from 'zod'
import { type HttpRequest, header } from '../../http/http.ts'
import { type Parameters, readMessage, text } from '../../http/message.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import { RecentlyUsed } from '../../kernel/recently-used.ts'
import type { Client } from '../../kernel/records.ts'
import { type Hash, sameSecret, sha256 } from '../../kernel/secrets.ts'
import { CLIENT_ERRORS, MAX_CLIENT_ID_LENGTH } from '../client-record.ts'

export const AUTHENTICATION_ERRORS = defineErrors({
  ...withCode('invalid_client', {
    client_not_identified: 'client_id is missing',
    client_auth_method_mismatch: 'The client must use the token_endpoint_auth_method of its registration',
    client_secret_wrong: 'The client secret is wrong. Send the secret of this client_id',
    client_secret_expired:
      'The client secret has expired. Send the newest secret of this client_id, or ask the operator for one',
    client_proof_invalid: 'The client authentication is not valid. Check its key, times and audience',
    client_not_confidential: 'This endpoint requires client authentication. Use a confidential client',
    client_basic_malformed:
      'The Authorization header is not HTTP Basic. Send Basic and the base64 of client_id:client_secret',
    client_basic_not_offered:
      'HTTP Basic is not supported here. Send client_id and client_secret in the body',
  }),
  client_auth_methods_mixed: [
    'invalid_request',
    'The client authenticated in more than one way. Use one method',
  ],
  client_basic_of_other_client: [
    'invalid_request',
    'client_id differs from the one in the Authorization header. Send only one',
  ],
})

/** Client credentials at the token, revocation and introspection endpoints, in the form or by HTTP Basic. */
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

interface PresentedProof {
  readonly clientId: string | undefined
  /**
   * Whether the proof holds. Any result but `true` is an error for the client.
   *
   * @param now the time at which the request was read, in epoch seconds
   * @throws OAuthError with a reason of its own
   */
  verify(client: Client, now: number): boolean | Promise<boolean>
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
    const basic = filled === 'authorization' ? basicCredentials(request) : undefined
    const credentials = readMessage(ClientCredentials, basic === undefined ? form : joined(form, basic))
    // With an empty password the header only names the client, and a public client may do that.
    const carrier = basic !== undefined && basic.client_secret === undefined ? undefined : filled
    for (const method of methods) {
      const proof = carrierOf(method) === carrier ? method.read(request, credentials, form) : undefined
      if (proof !== undefined) return { method: method.name, proof }
    }
    // It must not count as `none`, and no client is registered for this one.
    return {
      method: 'unsupported',
      proof: { clientId: credentials.client_id, verify: () => false },
      error: basic && AUTHENTICATION_ERRORS.client_basic_not_offered,
    }
  }
}

/** @throws OAuthError `invalid_request` when the form names another client than the header */
function joined(form: Parameters, basic: BasicCredentials): object {
  if (form.client_id !== undefined && form.client_id !== basic.client_id)
    throw new OAuthError(AUTHENTICATION_ERRORS.client_basic_of_other_client)
  return { ...form, ...basic }
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
  now: number,
): Client | Promise<Client> {
  if (proof.clientId === undefined) throw new OAuthError(AUTHENTICATION_ERRORS.client_not_identified)
  if (found === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  if (!accepts(found, method)) throw new OAuthError(error)
  const other = found.otherAuthMethods?.includes(method) === true
  const client = other ? { ...found, tokenEndpointAuthMethod: method } : found
  const holds = proof.verify(found, now)
  return holds instanceof Promise ? holds.then((held) => clientIf(held, client)) : clientIf(holds, client)
}

/** A method of a feature may be JavaScript: only `true` authenticates the client. */
function clientIf(holds: unknown, client: Client): Client {
  if (holds !== true) throw new OAuthError(AUTHENTICATION_ERRORS.client_proof_invalid)
  return client
}

interface BasicCredentials {
  readonly client_id: string
  /** Absent if it is empty: an empty password is no secret (RFC 6749 2.3.1). */
  readonly client_secret: string | undefined
}

const CONTROL = /\p{Cc}/u
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The client credentials of HTTP Basic (RFC 6749 2.3.1, RFC 7617 2), or `undefined` for another scheme.
 *
 * @throws OAuthError `invalid_client` when they are malformed
 */
export function basicCredentials(request: HttpRequest): BasicCredentials | undefined {
  const value = header(request, 'authorization')
  const token = value === undefined ? undefined : /^basic(?: +|$)(.*)$/i.exec(value)?.[1]
  if (token === undefined) return undefined
  const [, id = '', secret = ''] = /^([^:]+):(.*)/s.exec(textOf(token) ?? '') ?? []
  const [client_id, client_secret] = [formDecoded(id), formDecoded(secret)]
  if (client_id === '' || CONTROL.test(client_id + client_secret))
    throw new OAuthError(AUTHENTICATION_ERRORS.client_basic_malformed)
  return { client_id, client_secret: client_secret === '' ? undefined : client_secret }
}

/** The UTF-8 text of strict base64 (RFC 4648 3), or `undefined`. */
function textOf(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) return undefined
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

/** RFC 6749 appendix B. Many clients skip this encoding, so text that is not encoded stays as it is. */
function formDecoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

/** A public client only names itself (RFC 6749 2.1). Its security rests on PKCE and its redirect URIs. */
export const none: ClientAuthMethod = {
  name: 'none',
  selfRegistered: true,
  ofDocument: () => ({}),
  read: (_request, { client_id }) => ({ clientId: client_id, verify: () => true }),
}

/** The secret in the form (RFC 6749 2.3.1). */
export function clientSecretPost(verify: VerifySecret): ClientAuthMethod {
  return {
    name: 'client_secret_post',
    carrier: 'client_secret',
    usesSecret: true,
    selfRegistered: true,
    read(_request, { client_id, client_secret }) {
      if (client_secret === undefined) return undefined
      return { clientId: client_id, verify: (client, now) => verify(client_secret, client, now) }
    },
  }
}

/** The methods of core. Basic brings the same secret in the header, which the reader of proofs has read already. */
function methodsOf(verify: VerifySecret) {
  const post = clientSecretPost(verify)
  return {
    none,
    client_secret_post: post,
    client_secret_basic: { ...post, name: 'client_secret_basic', carrier: 'authorization' },
  } as const satisfies Record<string, ClientAuthMethod>
}
type StandardMethod = keyof ReturnType<typeof methodsOf>

export interface ClientAuthenticationOptions {
  /**
   * The authentication methods of clients; features may add others. A client with a secret may send it by any method in this
   * list. Default: all three, because a server that issues secrets must accept them by Basic (RFC 6749 2.3.1).
   */
  readonly clientAuthentication?: readonly StandardMethod[] | undefined
}

/** The methods that the options name. @throws Error that names an unknown one */
export function standardMethods(
  kernel: Kernel,
  { clientAuthentication }: ClientAuthenticationOptions,
): { clientAuthMethods: ClientAuthMethod[] } {
  const methods = methodsOf(secretVerifier(kernel))
  const known = Object.keys(methods)
  const unknown = clientAuthentication?.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`clientAuthentication: ${unknown} must be one of ${known.join(', ')}`)
  const all = Object.values(methods)
  return {
    clientAuthMethods: all.filter(({ name }) => clientAuthentication?.some((one) => one === name) ?? true),
  }
}

// Client secrets (RFC 6749 2.3.1): after a rotation a client has two, until the older one ends.

/** What a client does with its secrets that its operator should know. */
export type ClientSecretEvent =
  /** A client still uses its older secret. At most once an hour for a secret: without it, the older secret can end. */
  | {
      readonly type: 'old_secret_used'
      readonly clientId: string
      /** When the older secret ends, in epoch seconds. */
      readonly endsAt: number
    }
  /** A client uses a secret that ends in at most 30 days, and once more in the last 7 days. An unused secret has no such event. */
  | {
      readonly type: 'client_secret_expiring'
      readonly clientId: string
      /** In epoch seconds. */
      readonly expiresAt: number
      /** 30 or 7. */
      readonly days: number
    }

/** Whether this is a live secret of the client. @param now epoch seconds @throws OAuthError `invalid_client` */
type VerifySecret = (secret: string, client: Client, now: number) => true | Promise<true>

export function secretVerifier(kernel: Kernel): VerifySecret {
  const once = noticeOnce(kernel)
  return (secret, client, now) => {
    const match = matchOf(sha256(secret), client)
    if (match === undefined) throw new OAuthError(AUTHENTICATION_ERRORS.client_secret_wrong)
    const endsAt = match === 'newest' ? client.clientSecretExpiresAt : client.oldSecretEndsAt
    if (endsAt === undefined) return true
    if (now >= endsAt) throw new OAuthError(AUTHENTICATION_ERRORS.client_secret_expired)
    const notice = (match === 'newest' ? expiryNotice : oldNotice)(client.clientId, endsAt, now)
    const noticed = notice && once(notice.id, notice.until, () => kernel.emit(notice.event))
    return noticed === undefined ? true : noticed.then(() => true)
  }
}

interface Notice {
  readonly id: string
  /** Epoch seconds. */
  readonly until: number
  readonly event: ClientSecretEvent
}

/** Compares both hashes each time, so that the duration does not reveal which secret it is. */
function matchOf(hash: Hash, { secretHash, oldSecretHash }: Client): 'newest' | 'older' | undefined {
  const isNewest = secretHash !== undefined && sameSecret(hash, secretHash)
  const isOlder = oldSecretHash !== undefined && sameSecret(hash, oldSecretHash)
  if (isNewest) return 'newest'
  return isOlder ? 'older' : undefined
}

const HOUR = 60 * 60
const DAY = 24 * HOUR

function oldNotice(clientId: string, endsAt: number, now: number): Notice {
  const event = { type: 'old_secret_used', clientId, endsAt } as const
  return { id: `old:${clientId}:${endsAt}`, until: now + HOUR, event }
}

/** Days before the end of a secret, the last notice first. */
const NOTICES = [7, 30]

function expiryNotice(clientId: string, expiresAt: number, now: number): Notice | undefined {
  const days = NOTICES.find((notice) => expiresAt - now <= notice * DAY)
  if (days === undefined) return undefined
  const event = { type: 'client_secret_expiring', clientId, expiresAt, days } as const
  return { id: `expiring:${clientId}:${expiresAt}:${days}`, until: expiresAt, event }
}

/** Only clients whose operator has rotated or limited a secret cause notices. */
const MAX_REMEMBERED = 10_000

/**
 * Sends a notice, unless the same one was sent before: on any replica, if the store has transients, and otherwise by this
 * process.
 *
 * @param until epoch seconds, after which the notice may be sent again
 * @returns `undefined` if there is nothing to wait for. The promise never rejects
 */
export function noticeOnce({ now, store }: Kernel) {
  const sent = new RecentlyUsed<number>(MAX_REMEMBERED, { now, endOf: (until) => until })
  return (notice: string, until: number, send: () => void): Promise<void> | undefined => {
    if (sent.get(notice) !== undefined) return undefined
    sent.set(notice, until)
    const { transients } = store
    if (transients === undefined) return void send()
    const id = `notice:${sha256(notice)}`
    return transients.insert(id, { kind: 'notice', expiresAt: until }, until).then(
      (isFirst) => (isFirst ? send() : undefined),
      // A notice twice is better than none, and no request fails for it.
      send,
    )
  }
}
