/**
 * Messages of a server to others, delivered at least once: webhooks to endpoints of the operator, logout tokens to clients, and mails to
 * users.
 *
 * @module
 */

export {
  type BackChannelLogoutOptions,
  backChannelLogout,
  type LogoutUndelivered,
} from './back-channel-logout.ts'
export { createMails, type MailOptions, type Mails } from './mails.ts'
export type { OutboxFailed } from './outbox.ts'
export {
  WEBHOOK_TYPES,
  type WebhookEndpoint,
  type WebhookPayload,
  type WebhookType,
} from './webhook-message.ts'
export {
  createWebhooks,
  type WebhookDisabled,
  type WebhookEnabled,
  type WebhookEndpointStatus,
  type WebhookEvent,
  type WebhookOptions,
  type Webhooks,
  type WebhookUndelivered,
} from './webhooks.ts'
