import * as z from 'zod'
import { scopesOfRequest } from '../authorization/scopes-of-request.ts'
import { requiredChallenge } from '../grants/pkce.ts'
import { GRANT_TYPE_ERRORS } from '../grants/token-endpoint.ts'
import { type HttpRequest, type HttpResponse, json } from '../http/http.ts'
import { ResourceParameter, text } from '../http/message.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { requestedResources } from '../kernel/resource-indicator.ts'
import { includesAll } from '../kernel/scope.ts'
import { newGrantId, newSecret, sha256 } from '../kernel/secrets.ts'
import { formatDeviceCode } from '../tokens/credential.ts'
import { optionalProofKey } from '../tokens/proof-of-possession.ts'
import { DEVICE_CODE_GRANT, type DeviceContext, INTERVAL } from './device-context.ts'
import { type DeviceRequest, recordId } from './device-request.ts'
import { newUserCode, requestIdOf, shownUserCode } from './user-code.ts'

export const DEVICE_AUTHORIZATION_ERRORS = defineErrors({
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
})

/** RFC 8628 3.1, RFC 8707 2; a code challenge, which some clients send; and classes of sign-ins, for `stepUp`. */
export const DeviceAuthorizationRequest = z.object({
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

/** The device authorization endpoint (RFC 8628 3.1). The device code is bound to the key of a DPoP proof. */
export async function authorizeDevice(
  context: DeviceContext,
  client: Client,
  requested: DeviceAuthorizationRequest,
  http: HttpRequest,
): Promise<HttpResponse> {
  const { server } = context
  const { attempts } = server
  attempts?.know(http, { sent: { ...requested, client_id: client.clientId }, client })
  const key = optionalProofKey(server.senderConstraint, http, client)
  requireDeviceClient(context, client)
  const terms = termsOf(context, client, requested)
  const { too_many_device_requests } = DEVICE_AUTHORIZATION_ERRORS
  // Comes last: an invalid request does not count.
  await server.limiter.limitCaller('device_request', http, too_many_device_requests)
  const from = { address: http.remoteAddress, jkt: key?.thumbprint, reference: attempts?.referenceOf(http) }
  const { requestId, userCode, deviceCode } = await begin(context, { ...terms, ...from })
  const { clientId } = client
  server.emit({ type: 'device_requested', requestId, clientId } satisfies DeviceRequested)
  attempts?.step(http, 'requested')
  const answer = {
    device_code: deviceCode,
    user_code: userCode,
    ...addressesOf(context, userCode),
    expires_in: context.lifetimes.deviceCode,
    interval: INTERVAL,
  }
  return json(200, answer, key?.headers)
}

/** Unauthenticated callers can register a client and send its code to a user, so by default only static clients may use the grant. */
function requireDeviceClient({ selfRegistered }: DeviceContext, { origin, grantTypes }: Client): void {
  const open = origin === 'integration' || selfRegistered
  if (!open || !grantTypes.includes(DEVICE_CODE_GRANT))
    throw new OAuthError(GRANT_TYPE_ERRORS.grant_type_not_registered)
}

type Terms = Pick<
  DeviceRequest,
  'clientId' | 'scopes' | 'ignoredScopes' | 'resources' | 'acrValues' | 'challenge'
>

function termsOf(
  { server, ceilingOf }: DeviceContext,
  client: Client,
  requested: DeviceAuthorizationRequest,
): Terms {
  const { code_challenge, code_challenge_method } = requested
  const { scopes, ignoredScopes } = scopesOfRequest(server.scopes, server, client, requested.scope)
  if (!includesAll(ceilingOf(client), scopes))
    throw new OAuthError(DEVICE_AUTHORIZATION_ERRORS.device_scope_refused)
  const proves = code_challenge !== undefined || code_challenge_method !== undefined
  return {
    clientId: client.clientId,
    scopes,
    ignoredScopes,
    resources: requestedResources(requested.resource, server.resources),
    acrValues: server.authenticationClasses.requested(requested.acr_values),
    challenge: proves ? requiredChallenge(code_challenge, code_challenge_method) : undefined,
  }
}

const MAX_DRAWS = 5

/** Stores the request with an unused user code. @throws OAuthError 503 if five codes in a row are in use */
async function begin(
  { server, transients, lifetimes }: DeviceContext,
  terms: Terms & Pick<DeviceRequest, 'address' | 'jkt' | 'reference'>,
): Promise<{ readonly requestId: string; readonly userCode: string; readonly deviceCode: string }> {
  const { random, now, secret } = server
  const createdAt = now()
  const endsAt = createdAt + lifetimes.deviceCode
  const grantId = newGrantId(random)
  const deviceSecret = newSecret(random)
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const code = newUserCode(random)
    const requestId = requestIdOf(secret[0], code)
    const deviceCode = formatDeviceCode({ grantId, requestId, secret: deviceSecret })
    const times = { createdAt, endsAt, expiresAt: endsAt + AFTERLIFE }
    const request: DeviceRequest = {
      kind: 'device',
      ...terms,
      grantId,
      codeHash: sha256(deviceCode),
      ...times,
    }
    if (await transients.insert(recordId(requestId), request, request.expiresAt))
      return { requestId, userCode: shownUserCode(code), deviceCode }
  }
  throw new OAuthError(DEVICE_AUTHORIZATION_ERRORS.no_user_code_free)
}

function addressesOf({ completeUri, verificationUri }: DeviceContext, userCode: string): object {
  const complete = { verification_uri_complete: `${verificationUri}?user_code=${userCode}` }
  return { verification_uri: verificationUri, ...(completeUri ? complete : undefined) }
}
