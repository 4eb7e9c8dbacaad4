/**
 * Messages of a server to others, delivered at least once: webhooks to endpoints of the operator, and logout tokens to clients.
 *
 * @module
 */

export {
  type BackChannelLogoutOptions,
  backChannelLogout,
  type LogoutUndelivered,
} from './back-channel-logout.ts'
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
