import { z } from 'zod'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { type GrantId, type Hash, sameSecret, sha256 } from '../kernel/secrets.ts'
import type { Stored, Transients } from '../kernel/store.ts'

export const DEVICE_REQUEST_ERRORS = defineErrors({
  device_request_gone: ['invalid_request', 'This code is not valid any more; begin again on the device'],
  device_request_answered: ['invalid_request', 'This request was already answered'],
})

const texts = z.array(z.string()).readonly()

const Decision = z.object({
  subject: z.string(),
  /** Empty: denied. */
  scopes: texts,
  authTime: z.number(),
})
export type Decision = z.infer<typeof Decision>

/** What a device asks for, until its user has answered. It names no code: only who holds one finds it. */
const DeviceRequest = z.object({
  kind: z.literal('device'),
  clientId: z.string(),
  scopes: texts,
  /** Names in `scope` that are no scopes here. */
  ignoredScopes: texts,
  resources: texts,
  /** SHA-256 of the device code. */
  codeHash: z.string().transform((hash) => hash as Hash),
  /** The grant that an approval opens. Random, so a user code that is drawn again meets no old grant. */
  grantId: z.string().transform((id) => id as GrantId),
  challenge: z.string().optional(),
  /** The thumbprint of the only key that may redeem the device code. */
  jkt: z.string().optional(),
  /** The whole address, for as long as the request is kept. */
  address: z.string().optional(),
  /** Epoch seconds. */
  createdAt: z.number(),
  /** Nobody can answer it from then on. */
  endsAt: z.number(),
  /** The record goes then: a late poll still hears that the time was over (RFC 8628 3.5). */
  expiresAt: z.number(),
  decision: Decision.optional(),
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

export interface StoredDeviceRequest {
  readonly request: DeviceRequest
  readonly seen: NonNullable<Awaited<ReturnType<Transients['find']>>>
}

/** The id of its record. All features share them. */
export function recordId(requestId: string): string {
  return `device ${requestId}`
}

/** @param prefetched the record, being read */
export async function findDeviceRequest(
  transients: Transients,
  requestId: string,
  prefetched: ReturnType<Transients['find']> = transients.find(recordId(requestId)),
): Promise<StoredDeviceRequest | undefined> {
  const seen: Stored<unknown> | undefined = await prefetched
  return seen && { request: DeviceRequest.parse(seen.value), seen: seen as StoredDeviceRequest['seen'] }
}

/** Whether somebody can still answer it. */
export function isOpen({ decision, endsAt }: DeviceRequest, now: number): boolean {
  return decision === undefined && now < endsAt
}

/** Whether this device code began it. */
export function isOfDevice({ grantId, codeHash }: DeviceRequest, deviceCode: string, id: GrantId): boolean {
  return grantId === id && sameSecret(codeHash, sha256(deviceCode))
}

/**
 * The first answer counts. The same answer of the same user counts as that one, sent again.
 *
 * @throws OAuthError when it comes too late
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
