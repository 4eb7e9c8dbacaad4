import type { OnEvent } from '@grantkit/core/feature'
import { metrics } from '@opentelemetry/api'

const events = metrics.getMeter('grantkit').createCounter('grantkit.events')

export const onEvent: OnEvent = (event) =>
  events.add(1, 'reason' in event ? { type: event.type, reason: event.reason } : { type: event.type })
