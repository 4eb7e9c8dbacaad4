import * as z from 'zod'
import type { ClientEndpoint } from '../../clients/client-endpoint.ts'
import type { ServerContext } from '../../feature.ts'
import { requiredChallenge } from '../../grants/authorization-code.ts'
import { askedTerms, sameTerms } from '../../grants/request-terms.ts'
import { GRANT_TYPE_ERRORS } from '../../grants/token-endpoint.ts'
import { json } from '../../http/http.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../../http/message.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client, Transient } from '../../kernel/records.ts'
import { requestedMembers } from '../../kernel/resource-indicator.ts'
import { scopesOfRequest } from '../../kernel/scope.ts'
import {
  type GrantId,
  type Hash,
  hmacSha256,
  newGrantId,
  newSecret,
  type Random,
  sameSecret,
  sha256,
} from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import { formatDeviceCode } from '../../tokens/credential.ts'
import { optionalProofKey } from '../../tokens/proof-of-possession.ts'

/**
 * RFC 8628 3.4.
 *
 * @example
 * ```ts
 * import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
 *
 * const poll = new URLSearchParams({ grant_type: DEVICE_CODE_GRANT, device_code: 'gkd_…', client_id: 'tv' })
 * ```
 */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Seconds between two polls (RFC 8628 3.2). */
export const INTERVAL = 5

export const DEVICE_REQUEST_ERRORS = defineErrors({
  device_scope_refused: [
    'invalid_scope',
    'Devices cannot get a scope that the client requested. Leave it out',
  ],
  too_many_device_requests: [
    'temporarily_unavailable',
    'Too many devices requested codes from this address. Try again later',
    429,
  ],
  no_user_code_free: ['temporarily_unavailable', 'Too many devices are signing in. Try again', 503],
  device_request_gone: ['invalid_request', 'This code is no longer valid. Begin again on the device'],
  device_request_answered: ['invalid_request', 'This request was already answered. Return to the device'],
})

/** RFC 8628 3.1, RFC 8707 2; a code challenge, which some clients send; and classes of sign-ins, for `stepUp`. */
const DeviceAuthorizationRequest = z.object({
  scope: text().optional(),
  resource: ResourceParameter,
  code_challenge: text().optional(),
  code_challenge_method: text().optional(),
  // Unknown to RFC 8628, so a server without classes ignores what it holds.
  acr_values: text().optional().catch(undefined),
})
type DeviceAuthorizationRequest = z.output<typeof DeviceAuthorizationRequest>

/** A device got a user code, for its user to type. */
export interface DeviceRequested {
  readonly type: 'device_requested'
  readonly requestId: string
  readonly clientId: string
}

/** Seconds for which an expired request is stored: late polls get `expired_token`. */
const AFTERLIFE = 300

/** The device grant of a server, as its endpoints and pages know it. Lifetimes in seconds. */
export interface DeviceGrant {
  readonly server: ServerContext
  readonly transients: Transients
  /** The scopes that the client can request; `undefined` if it may not use the grant. */
  readonly scopesOf: (client: Client) => readonly string[] | undefined
  /** Of a device code and its user code. */
  readonly codeLifetime: number
  readonly grantLifetime: number
  /** The URL that users type. */
  readonly verificationUri: string
  readonly completeUri: boolean
}

/** The device authorization endpoint (RFC 8628 3.1). The device code is bound to the key of a DPoP proof. */
export function deviceAuthorization(device: DeviceGrant, path: string): ClientEndpoint {
  const { server, verificationUri, completeUri, codeLifetime } = device
  return {
    path,
    metadataName: 'device_authorization_endpoint',
    summary: 'Request codes for a device without a browser (RFC 8628 3.1)',
    message: DeviceAuthorizationRequest,
    begin(form) {
      const requested = readMessage(DeviceAuthorizationRequest, form)
      return async (client, http) => {
        const parameters = { ...requested, client_id: client.clientId }
        server.observer?.report({ fact: 'request_read', parameters, client }, http)
        const key = optionalProofKey(server.senderConstraint, http, client)
        const access = requestedAccess(device, client, requested, form)
        const { too_many_device_requests } = DEVICE_REQUEST_ERRORS
        // Comes last: an invalid request does not count.
        await server.limiter.limitCaller('device_request', http, too_many_device_requests)
        const reference = server.observer?.identityOf(http)?.recorded
        const origin = { address: http.remoteAddress, jkt: key?.thumbprint, reference }
        const { requestId, userCode, deviceCode } = await storedRequest(device, { ...access, ...origin })
        const ids = { requestId, clientId: client.clientId }
        server.emit({ type: 'device_requested', ...ids } satisfies DeviceRequested, http)
        // RFC 8628 3.2.
        const codes = {
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: verificationUri,
          ...(completeUri && { verification_uri_complete: `${verificationUri}?user_code=${userCode}` }),
          expires_in: codeLifetime,
          interval: INTERVAL,
        }
        return json(200, codes, key?.headers)
      }
    },
  }
}

function requestedAccess(
  { server, scopesOf }: DeviceGrant,
  client: Client,
  { scope, resource, code_challenge, code_challenge_method, acr_values }: DeviceAuthorizationRequest,
  form: Parameters,
): RequestedAccess {
  const allowed = scopesOf(client)
  if (allowed === undefined || !client.grantTypes.includes(DEVICE_CODE_GRANT))
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_not_registered)
  const { scopes, ignoredScopes } = scopesOfRequest(server.scopes, server, client, scope)
  const refused = scopes.find((name) => !allowed.includes(name))
  if (refused !== undefined)
    throw new OAuthError(
      DEVICE_REQUEST_ERRORS.device_scope_refused,
      `Devices cannot get the scope "${refused}". Leave it out`,
    )
  const resources = requestedMembers(resource, server.resources)
  const asked = askedTerms(server, form, { client, scopes, resources })
  const proves = code_challenge !== undefined || code_challenge_method !== undefined
  return {
    clientId: client.clientId,
    scopes,
    ignoredScopes,
    resources,
    ...(asked && { asked }),
    acrValues: server.authenticationClasses.requested(acr_values),
    challenge: proves ? requiredChallenge(code_challenge, code_challenge_method) : undefined,
  }
}

const MAX_DRAWS = 5

/** Stores the request with an unused user code. @throws OAuthError 503 if five codes in a row are in use */
async function storedRequest(
  { server: { random, now, secret }, transients, codeLifetime }: DeviceGrant,
  access: RequestedAccess,
) {
  const createdAt = now()
  const endsAt = createdAt + codeLifetime
  const times = { createdAt, endsAt, expiresAt: endsAt + AFTERLIFE }
  const grantId = newGrantId(random)
  const deviceSecret = newSecret(random)
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const code = newUserCode(random)
    const requestId = requestIdOf(secret[0], code)
    const deviceCode = formatDeviceCode({ grantId, requestId, secret: deviceSecret })
    const codeHash = sha256(deviceCode)
    const request: DeviceRequest = { kind: 'device', ...access, grantId, codeHash, ...times }
    if (await transients.insert(recordId(requestId), request, request.expiresAt))
      return { requestId, userCode: shownUserCode(code), deviceCode }
  }
  throw new OAuthError(DEVICE_REQUEST_ERRORS.no_user_code_free)
}

const texts = z.array(z.string()).readonly()

const Decision = z.object({
  subject: z.string(),
  /** Empty if the user denied access. */
  scopes: texts,
  authTime: z.number(),
  acr: z.string().optional(),
  amr: texts.optional(),
  /** The name of the session with whose end the grant ends. */
  sid: z.string().optional(),
  /** What the user decided beside the scopes. */
  terms: z.record(z.string(), z.unknown()).optional(),
})
export type Decision = z.infer<typeof Decision>

const RequestedAccess = z.object({
  clientId: z.string(),
  scopes: texts,
  /** The unknown names in `scope`. */
  ignoredScopes: texts,
  resources: texts,
  /** What it asks for beside them. */
  asked: z.record(z.string(), z.unknown()).optional(),
  /** The classes of sign-ins that it asks for. */
  acrValues: texts.optional(),
  challenge: z.string().optional(),
  /** The thumbprint of the only key that may redeem the device code. */
  jkt: z.string().optional(),
  /** The whole IP address, for as long as the request is stored. */
  address: z.string().optional(),
  /** By what people find its beginning, with an observer. */
  reference: z.string().optional(),
})
type RequestedAccess = z.infer<typeof RequestedAccess>

/** The stored request of a device. It contains no code: only the holder of a code finds it. Times are epoch seconds. */
const DeviceRequest = RequestedAccess.extend({
  kind: z.literal('device'),
  /** SHA-256 of the device code. */
  codeHash: z.string().transform((hash) => hash as Hash),
  /** The grant that an approval opens. It is random: a repeated user code does not find an old grant. */
  grantId: z.string().transform((id) => id as GrantId),
  createdAt: z.number(),
  /** When the codes expire. */
  endsAt: z.number(),
  /** When the record expires: later than the codes, so that a late poll gets `expired_token` (RFC 8628 3.5). */
  expiresAt: z.number(),
  decision: Decision.optional(),
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

/** The id of its record. Features share one namespace. */
export function recordId(requestId: string): string {
  return `device ${requestId}`
}

/** @param prefetched the read of the record, if it has started */
export async function findDeviceRequest(
  transients: Transients,
  requestId: string,
  prefetched: ReturnType<Transients['find']> = transients.find(recordId(requestId)),
): Promise<DeviceRequest | undefined> {
  return deviceRequestIn((await prefetched)?.value)
}

export function deviceRequestIn(record: Transient | undefined): DeviceRequest | undefined {
  return record && DeviceRequest.parse(record)
}

/** Whether a user can still answer the request. */
export function isOpen({ decision, endsAt }: DeviceRequest, now: number): boolean {
  return decision === undefined && now < endsAt
}

export function isOfDevice({ grantId, codeHash }: DeviceRequest, deviceCode: string, id: GrantId): boolean {
  return grantId === id && sameSecret(codeHash, sha256(deviceCode))
}

/**
 * The first decision counts. The same decision of the same user is a repetition.
 *
 * @throws OAuthError if the request has expired or has another decision
 */
export function answered(request: DeviceRequest, decision: Decision, now: number): DeviceRequest {
  const first = request.decision
  if (first === undefined && now >= request.endsAt)
    throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_gone)
  if (first === undefined) return { ...request, decision }
  const same = first.scopes.join() === decision.scopes.join() && sameTerms(first.terms, decision.terms)
  if (first.subject !== decision.subject || !same)
    throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_answered)
  return request
}

/** Consonants that are easy to distinguish: no code spells a word (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const WELL_FORMED = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** Of the input that is read. */
const MAX_INPUT_LENGTH = 32

/** The largest multiple of the alphabet in a byte: with larger bytes, some letters would be more frequent. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)

/** One of 20^8 codes: enough for some minutes, together with a limit of wrong codes (RFC 8628 5.1). */
export function newUserCode(random: Random): string {
  let code = ''
  while (code.length < LENGTH)
    for (const byte of random(LENGTH))
      if (byte < FAIR_BYTES && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length]
  return code
}

/**
 * The code in the user's input, in upper or lower case and with any separators (RFC 8628 6.1).
 *
 * @returns `undefined` if the input is not a code
 */
export function typedUserCode(input: string): string | undefined {
  const code = input
    .slice(0, MAX_INPUT_LENGTH)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
  return WELL_FORMED.test(code) ? code : undefined
}

/** The code as users see it: in two halves. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/**
 * The id of the request with this code. It is an HMAC with the secret of the server: a plain hash of so few codes could be
 * reversed in seconds.
 */
export function requestIdOf(secret: string, code: string): string {
  return hmacSha256(secret, `user code\n${code}`).slice(0, 22)
}
