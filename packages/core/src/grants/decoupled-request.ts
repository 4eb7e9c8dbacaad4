/** A request that its user answers in another place than its client: the device grant (RFC 8628), and requests by a back channel. */
import * as z from 'zod'
import { type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Transient } from '../kernel/records.ts'
import type { GrantId, Hash } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import { sameAnswer } from './request-terms.ts'

/** Seconds between two polls (RFC 8628 3.2). */
export const INTERVAL = 5

/** Seconds for which an expired request is stored: late polls get `expired_token`. */
const AFTERLIFE = 300

/** In epoch seconds. @param lifetime of the code, in seconds */
export function requestTimes(createdAt: number, lifetime: number) {
  const endsAt = createdAt + lifetime
  return { createdAt, endsAt, expiresAt: endsAt + AFTERLIFE }
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

/** The stored request. It contains no code: only the holder of a code finds it. Times are epoch seconds. */
export const DecoupledRequest = z.object({
  /** Names the flow, and begins the id of the record. */
  kind: z.string(),
  clientId: z.string(),
  /** The only user who may answer, if the request names one. */
  subject: z.string().optional(),
  /** What the client says to that user. */
  message: z.string().optional(),
  scopes: texts,
  /** It asks for one operation: an approval opens no grant. */
  operation: z.literal(true).optional(),
  /** Its approval was used. */
  taken: z.literal(true).optional(),
  /** The unknown names in `scope`. */
  ignoredScopes: texts,
  resources: texts,
  /** What it asks for beside them. */
  asked: z.record(z.string(), z.unknown()).optional(),
  /** The classes of sign-ins that it asks for. */
  acrValues: texts.optional(),
  challenge: z.string().optional(),
  /** The thumbprint of the only key that may redeem the code. */
  jkt: z.string().optional(),
  /** The whole IP address, for as long as the request is stored. */
  address: z.string().optional(),
  /** By what people find its beginning, with an observer. */
  reference: z.string().optional(),
  /** SHA-256 of the code. */
  codeHash: z.string().transform((hash) => hash as Hash),
  /** The grant that an approval opens. It is random: a repeated request id does not find an old grant. */
  grantId: z.string().transform((id) => id as GrantId),
  createdAt: z.number(),
  endsAt: z.number(),
  /** When the record expires: later than the code, so that a late poll gets `expired_token` (RFC 8628 3.5). */
  expiresAt: z.number(),
  decision: Decision.optional(),
})
export type DecoupledRequest = z.infer<typeof DecoupledRequest>

export interface DecoupledRequests {
  readonly transients: Transients
  readonly kind: string
}

/** The id of its record. Features share one namespace. */
export function requestRecordId(kind: string, requestId: string): string {
  return `${kind} ${requestId}`
}

/** @param prefetched the read of the record, if it has started */
export async function findRequest(
  { transients, kind }: DecoupledRequests,
  requestId: string,
  prefetched: ReturnType<Transients['find']> = transients.find(requestRecordId(kind, requestId)),
): Promise<DecoupledRequest | undefined> {
  return requestIn((await prefetched)?.value)
}

export function requestIn(record: Transient | undefined): DecoupledRequest | undefined {
  return record && DecoupledRequest.parse(record)
}

/** Whether a user can still answer the request. */
export function isOpen(
  { decision, endsAt }: Pick<DecoupledRequest, 'decision' | 'endsAt'>,
  now: number,
): boolean {
  return decision === undefined && now < endsAt
}

export interface AnswerErrors {
  /** The request has expired. */
  readonly gone: ErrorDefinition
  /** It has another decision. */
  readonly answered: ErrorDefinition
}

/**
 * The first decision counts. The same decision of the same user is a repetition.
 *
 * @throws OAuthError if the request has expired or has another decision
 */
export function answered(
  request: DecoupledRequest,
  decision: Decision,
  now: number,
  errors: AnswerErrors,
): DecoupledRequest {
  const first = request.decision
  if (first === undefined && now >= request.endsAt) throw new OAuthError(errors.gone)
  if (first === undefined) return { ...request, decision }
  if (first.subject !== decision.subject || !sameAnswer(first, decision))
    throw new OAuthError(errors.answered)
  return request
}
