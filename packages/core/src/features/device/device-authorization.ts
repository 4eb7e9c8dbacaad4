import * as z from 'zod'
import type { ClientEndpoint } from '../../clients/client-endpoint.ts'
import type { ServerContext } from '../../feature.ts'
import { requiredChallenge } from '../../grants/authorization-code.ts'
import {
  type DecoupledRequest,
  type DecoupledRequests,
  INTERVAL,
  requestRecordId,
  requestTimes,
} from '../../grants/decoupled-request.ts'
import { GRANT_TYPE_ERRORS } from '../../grants/token-endpoint.ts'
import { json } from '../../http/http.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../../http/message.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { requestedMembers } from '../../kernel/resource-indicator.ts'
import { scopesOfRequest } from '../../kernel/scope.ts'
import { hmacSha256, newGrantId, newSecret, type Random, sha256 } from '../../kernel/secrets.ts'
import { formatDecoupledCode } from '../../tokens/credential.ts'
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

/** The device grant of a server, as its endpoints and pages know it. Lifetimes in seconds. */
export interface DeviceGrant extends DecoupledRequests {
  readonly server: ServerContext
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
  const asked = server.requestTerms?.asked(form, { client, scopes, resources })
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
  { server: { random, now, secret }, transients, kind, codeLifetime }: DeviceGrant,
  access: RequestedAccess,
) {
  const times = requestTimes(now(), codeLifetime)
  const grantId = newGrantId(random)
  const deviceSecret = newSecret(random)
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const code = newUserCode(random)
    const requestId = requestIdOf(secret[0], code)
    const deviceCode = formatDecoupledCode('gkd', { grantId, requestId, secret: deviceSecret })
    const codeHash = sha256(deviceCode)
    const request: DecoupledRequest = { kind, ...access, grantId, codeHash, ...times }
    if (await transients.insert(requestRecordId(kind, requestId), request, request.expiresAt))
      return { requestId, userCode: shownUserCode(code), deviceCode }
  }
  throw new OAuthError(DEVICE_REQUEST_ERRORS.no_user_code_free)
}

/** What a request asks for, without its times and ids. */
type RequestedAccess = Omit<
  DecoupledRequest,
  'kind' | 'codeHash' | 'grantId' | 'createdAt' | 'endsAt' | 'expiresAt' | 'decision'
>

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
