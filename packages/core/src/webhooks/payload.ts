/** What webhooks say of the events of the server: ids, and no personal data. */
import type { BaseEvent } from '../kernel/events.ts'
import { snakeCased } from '../kernel/member-names.ts'

/** The types, in the words of receivers. */
export const WEBHOOK_TYPES = [
  'account.disabled',
  'account.removed',
  'client.added',
  'client.changed',
  'client.removed',
  'consent.granted',
  'grant.ended',
  'grant.reuse_detected',
  'keys.rotated',
  'session.ended',
] as const
export type WebhookType = (typeof WEBHOOK_TYPES)[number]

/** The body of a message (Standard Webhooks). */
export interface WebhookPayload {
  readonly type: WebhookType
  /** When it happened, ISO 8601. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The types of an event, and the members that are sent. */
interface Message {
  readonly types: readonly WebhookType[]
  readonly members: readonly string[]
}

const GRANT = ['grantId', 'clientId', 'subject', 'by', 'reason']
const USER = ['subject', 'by']

/** By the type of the event, of core and of `@grantkit/server`. */
const MESSAGES: Readonly<Record<string, Message>> = {
  account_disabled: { types: ['account.disabled'], members: USER },
  account_removed: { types: ['account.removed'], members: USER },
  client_added: { types: ['client.added'], members: ['clientId'] },
  client_changed: { types: ['client.changed'], members: ['clientId', 'members'] },
  client_removed: { types: ['client.removed'], members: ['clientId', 'grantsEnded'] },
  consent_granted: { types: ['consent.granted'], members: [...GRANT, 'scopes', 'resources'] },
  grant_revoked: { types: ['grant.ended'], members: GRANT },
  // It ends a grant because a credential was presented twice, or by somebody else.
  grant_ended: { types: ['grant.ended', 'grant.reuse_detected'], members: GRANT },
  signing_keys_changed: { types: ['keys.rotated'], members: ['keyIds'] },
  sessions_ended: { types: ['session.ended'], members: USER },
  signed_out: { types: ['session.ended'], members: USER },
}

/** The messages about an event; none for most events. @param at epoch seconds */
export function payloadsOf(event: BaseEvent, at: number): readonly WebhookPayload[] {
  const message = Object.hasOwn(MESSAGES, event.type) ? MESSAGES[event.type] : undefined
  if (message === undefined) return []
  const sent = message.members.filter((name) => event[name] !== undefined)
  const data = snakeCased(Object.fromEntries(sent.map((name) => [name, event[name]])))
  const timestamp = new Date(1000 * at).toISOString()
  return message.types.map((type) => ({ type, timestamp, data }))
}
