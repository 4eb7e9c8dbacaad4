/** The receivers of webhooks, what messages to them say, and how they are signed (Standard Webhooks 1.0). */
import { createHmac } from 'node:crypto'
import { type BaseEvent, publicUrlFault, snakeCased } from '@grantkit/core/internal'

/** The types, in the words of receivers. */
export const WEBHOOK_TYPES = [
  'account.disabled',
  'account.removed',
  'approval.requested',
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
  // Also for a service that pushes to phones: the link opens nothing without a sign-in.
  backchannel_requested: {
    types: ['approval.requested'],
    members: ['requestId', 'clientId', 'subject', 'url', 'expiresAt'],
  },
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

export interface WebhookEndpoint {
  /** Names it in events and records: an endpoint that is disabled stays so under this name. */
  readonly name: string
  /** https, at a public address. */
  readonly url: string
  /** `whsec_` and 24 to 64 bytes in base64. During a rotation a list: messages are signed with each of them. */
  readonly secret: string | readonly string[]
  /** What it hears. Default: everything. */
  readonly types?: readonly WebhookType[] | undefined
}

interface CheckedEndpoint extends Pick<WebhookEndpoint, 'name' | 'url'> {
  readonly types: readonly WebhookType[]
  readonly keys: readonly Uint8Array[]
}
export type Endpoints = ReadonlyMap<string, CheckedEndpoint>

/** By name. @throws Error that names the endpoint and the member at fault */
export function checkedEndpoints(
  endpoints: readonly WebhookEndpoint[],
  issuer: string,
  ports?: readonly number[],
): Endpoints {
  const checked = endpoints.map(({ name, url, secret, types = WEBHOOK_TYPES }) => {
    const fault = publicUrlFault(url, { issuer, ports })
    if (fault !== undefined) throw new Error(`webhooks: the url of ${name} ${fault}`)
    const unknown = types.find((type) => !WEBHOOK_TYPES.includes(type))
    if (unknown !== undefined)
      throw new Error(`webhooks: ${name} names the type ${unknown}, which does not exist`)
    const secrets = typeof secret === 'string' ? [secret] : secret
    if (secrets.length === 0) throw new Error(`webhooks: ${name} needs a secret`)
    return [name, { name, url, types, keys: secrets.map((secret) => keyOf(name, secret)) }] as const
  })
  const byName = new Map(checked)
  if (byName.size < checked.length) throw new Error('webhooks: two endpoints have one name')
  return byName
}

function keyOf(name: string, secret: string): Buffer {
  const key = Buffer.from(/^whsec_([\w+/]+={0,2})$/.exec(secret)?.[1] ?? '', 'base64')
  if (key.length < 24 || key.length > 64)
    throw new Error(`webhooks: the secret of ${name} must be whsec_ and 24 to 64 bytes in base64`)
  return key
}

interface Signed {
  /** The same at every attempt, so that the receiver knows a repeated message. */
  readonly id: string
  /** Of the attempt, in epoch seconds: the receiver refuses old ones. */
  readonly at: number
  readonly body: string
}

export function signedHeaders({ keys }: CheckedEndpoint, { id, at, body }: Signed): Record<string, string> {
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`,
  )
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  }
}
