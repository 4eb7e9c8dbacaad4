import * as z from 'zod'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { type GrantId, type Hash, sameSecret, sha256 } from '../kernel/secrets.ts'
import type { Stored, Transients } from '../kernel/store.ts'

export const DEVICE_REQUEST_ERRORS = defineErrors({
  device_request_gone: ['invalid_request', 'This code is no longer valid. Begin again on the device'],
  device_request_answered: ['invalid_request', 'This request was already answered. Return to the device'],
})

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
})
export type Decision = z.infer<typeof Decision>

/** The stored request of a device. It contains no code: only the holder of a code finds it. */
const DeviceRequest = z.object({
  kind: z.literal('device'),
  clientId: z.string(),
  scopes: texts,
  /** The unknown names in `scope`. */
  ignoredScopes: texts,
  resources: texts,
  /** The classes of sign-ins that it asks for. */
  acrValues: texts.optional(),
  /** SHA-256 of the device code. */
  codeHash: z.string().transform((hash) => hash as Hash),
  /** The grant that an approval opens. It is random: a repeated user code does not find an old grant. */
  grantId: z.string().transform((id) => id as GrantId),
  challenge: z.string().optional(),
  /** The thumbprint of the only key that may redeem the device code. */
  jkt: z.string().optional(),
  /** The whole IP address, for as long as the request is stored. */
  address: z.string().optional(),
  /** The reference of its sign-in attempt, with the option `explain`. */
  reference: z.string().optional(),
  /** Epoch seconds. */
  createdAt: z.number(),
  /** When the codes expire. Epoch seconds. */
  endsAt: z.number(),
  /** When the record expires: later than the codes, so that a late poll gets `expired_token` (RFC 8628 3.5). Epoch seconds. */
  expiresAt: z.number(),
  decision: Decision.optional(),
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

export interface StoredDeviceRequest {
  readonly request: DeviceRequest
  readonly seen: NonNullable<Awaited<ReturnType<Transients['find']>>>
}

/** The id of its record. Features share one namespace. */
export function recordId(requestId: string): string {
  return `device ${requestId}`
}

/** @param prefetched the read of the record, if it has started */
export async function findDeviceRequest(
  transients: Transients,
  requestId: string,
  prefetched: ReturnType<Transients['find']> = transients.find(recordId(requestId)),
): Promise<StoredDeviceRequest | undefined> {
  const seen: Stored<unknown> | undefined = await prefetched
  return seen && { request: DeviceRequest.parse(seen.value), seen: seen as StoredDeviceRequest['seen'] }
}

/** Whether a user can still answer the request. */
export function isOpen({ decision, endsAt }: DeviceRequest, now: number): boolean {
  return decision === undefined && now < endsAt
}

/** Whether the request has this device code. */
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
  if (first !== undefined && !isSame(first, decision))
    throw new OAuthError(DEVICE_REQUEST_ERRORS.device_request_answered)
  return first === undefined ? { ...request, decision } : request
}

function isSame(first: Decision, { subject, scopes }: Decision): boolean {
  return first.subject === subject && first.scopes.join() === scopes.join()
}
