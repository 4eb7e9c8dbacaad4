import type { SigningKeysRotated } from '../config/signing-keys-file.ts'
import { DAY_MS } from '../config/time-units.ts'
import type { AuditRow } from '../database/tables.ts'
import type { ServiceEvent } from '../events.ts'
import { actorOfEvent, callerOfEvent } from './caller.ts'

/** An event as the trail keeps it. Its other members are ids, reasons and counts, never a secret. */
export interface Happened {
  readonly type: string
  /** The id of the user. */
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
  readonly [fact: string]: unknown
}

export interface AuditEntry extends Happened {
  /** Unique, and ordered by time. */
  readonly id: string
  /** ISO 8601, in UTC. */
  readonly at: string
}

const MOMENT_LENGTH = '2026-01-01T00:00:00.000Z'.length

/** @param tail distinguishes entries of the same millisecond */
export function rowOf(happened: Happened, at: Date, tail: string, days: number): AuditRow {
  const { type, subject, clientId, ...facts } = happened
  return {
    id: `${at.toISOString()}-${tail}`,
    type,
    subject: subject ?? null,
    client_id: clientId ?? null,
    facts: JSON.stringify(facts),
    kept_until: dayOf(at, days),
  }
}

export function entryOf({ id, type, subject, client_id, facts }: Omit<AuditRow, 'kept_until'>): AuditEntry {
  // A fact with the name of a column would be read as the place of the entry in the list.
  const { id: _, ...others } = JSON.parse(facts)
  return {
    id,
    at: id.slice(0, MOMENT_LENGTH),
    type,
    ...(subject === null ? {} : { subject }),
    ...(client_id === null ? {} : { clientId: client_id }),
    ...others,
  }
}

/** The day, a number of days after a time. */
export function dayOf(at: Date, days: number): string {
  return new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

/** The key by which omitted entries are counted: one of a short list that callers cannot extend. */
export function reasonOf({ type, reason }: Happened): string {
  return typeof reason === 'string' ? reason : type
}

/** The events that the trail receives: those of the service and of its commands. */
export type AuditedEvent = ServiceEvent | SigningKeysRotated

/**
 * Who causes an event. It decides how many the trail keeps, and for how long. A `decision` changes who has access to an
 * account: it is never omitted.
 */
export type Cause = 'operator' | 'decision' | 'user' | 'unauthenticated'

/** `undefined`: the trail does not keep the event. Uses of a grant are counted by the metrics; faults are logged. */
const CAUSES: Readonly<Record<AuditedEvent['type'], Cause | undefined>> = {
  account_added: 'operator',
  account_password_changed: 'decision',
  account_disabled: 'operator',
  account_enabled: 'operator',
  account_admin_added: 'operator',
  account_admin_removed: 'operator',
  account_removed: 'operator',
  client_added: 'operator',
  client_changed: 'operator',
  client_secret_rotated: 'operator',
  client_old_secret_dropped: 'operator',
  initial_access_token_added: 'operator',
  initial_access_token_removed: 'operator',
  client_removed: 'operator',
  signing_keys_rotated: 'operator',
  signing_keys_changed: 'operator',
  attempt_read: 'operator',
  webhook_disabled: 'operator',
  webhook_enabled: 'operator',
  consent_granted: 'decision',
  consent_denied: 'user',
  // It takes effect when a user approves it.
  client_document_changed: 'user',
  old_secret_used: 'user',
  client_secret_expiring: 'user',
  device_approved: 'decision',
  device_denied: 'user',
  user_code_wrong: 'user',
  grant_revoked: 'decision',
  grant_ended: 'decision',
  sign_in_succeeded: 'user',
  signed_out: 'user',
  logout_undelivered: 'user',
  password_mail_sent: 'user',
  sessions_ended: 'decision',
  passkey_added: 'decision',
  passkey_removed: 'decision',
  identity_linked: 'decision',
  identity_removed: 'decision',
  personal_token_created: 'decision',
  personal_token_ended: 'decision',
  personal_token_expiring: 'user',
  // Counts alone: `personal_token_ended` names each token.
  personal_tokens_leaked: 'decision',
  sign_in_failed: 'unauthenticated',
  client_registered: 'unauthenticated',
  // The issuer has opened a grant in place of the user.
  assertion_exchanged: 'decision',
  assertion_refused: 'unauthenticated',
  refused: 'unauthenticated',
  device_requested: undefined,
  device_code_redeemed: undefined,
  device_code_retried: undefined,
  code_redeemed: undefined,
  refresh_token_rotated: undefined,
  refresh_token_retried: undefined,
  refresh_token_kept: undefined,
  token_exchanged: undefined,
  client_credentials_token_issued: undefined,
  access_token_dropped: undefined,
  access_token_revoked: undefined,
  claims_unreleased: undefined,
  token_claims_protected: undefined,
  client_document_copy_used: undefined,
  client_document_failed: undefined,
  client_keys_failed: undefined,
  signing_keys_refused: undefined,
  limiter_failed: undefined,
  outbox_failed: undefined,
  webhook_undelivered: undefined,
  failed: undefined,
  step: undefined,
}

/** The types of the entries that the trail has. */
export const KEPT_TYPES: readonly string[] = [
  ...Object.entries(CAUSES).flatMap(([type, cause]) => (cause === undefined ? [] : [type])),
  'left_out',
].sort()

/** Also `undefined` for the events of features. */
export function causeOf(event: AuditedEvent): Cause | undefined {
  const cause = CAUSES[event.type]
  if (event.type === 'account_added' && event.by === 'sign_up') return 'user'
  return cause !== undefined && 'by' in event && event.by === 'operator' ? 'operator' : cause
}

/**
 * The entry of an event. The caller of an operator's event is left out: a request may only be the first to notice the
 * change.
 */
export function happenedOf(event: AuditedEvent, cause: Cause): Happened {
  if (cause === 'operator') return { ...withNamedId(event), actor: actorOfEvent() }
  if (event.type === 'logout_undelivered') {
    // It comes later than the request, and its fault and cause are for the log.
    const { type, clientId, subject, sid, why, count, attempts, status } = event
    return { type, clientId, subject, sid, why, count, attempts, status }
  }
  const { network, clientId } = callerOfEvent()
  if (event.type !== 'refused') return { ...event, network }
  const { type, error, reason, path, known } = event
  return { type, clientId, error, reason, known, path: path.slice(0, MAX_PATH), network }
}

const MAX_PATH = 200

/** `id` is the id of an entry. */
function withNamedId(event: AuditedEvent): Happened {
  if (event.type !== 'initial_access_token_added' && event.type !== 'initial_access_token_removed')
    return { ...event }
  const { id: initialAccessToken, ...facts } = event
  return { ...facts, initialAccessToken }
}
