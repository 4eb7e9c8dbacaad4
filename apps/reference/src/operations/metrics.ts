import type { Route } from '@grantkit/core/adapter'
import { Hono, type MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { OnEvent, ServiceEvent } from '../events.ts'

/** Metrics of the service, for Prometheus. No label contains input of a caller. */
export interface Metrics {
  readonly onEvent: OnEvent
  /** Wraps an OAuth route to measure its responses. */
  timed(route: Route): Route
  /** Measures the responses of the application by route. */
  readonly timing: MiddlewareHandler
  /** The application for Prometheus. Serve it on a separate port, because it is not public. */
  readonly app: Hono
}

/** All types: every counter starts at 0, so that the first increase is visible. */
const EVENT_TYPES = Object.keys({
  claims_unreleased: true,
  client_registered: true,
  client_added: true,
  client_removed: true,
  client_document_changed: true,
  client_document_failed: true,
  client_keys_failed: true,
  consent_granted: true,
  consent_denied: true,
  device_requested: true,
  device_approved: true,
  device_denied: true,
  device_code_redeemed: true,
  device_code_retried: true,
  user_code_wrong: true,
  code_redeemed: true,
  refresh_token_rotated: true,
  refresh_token_retried: true,
  refresh_token_kept: true,
  token_exchanged: true,
  client_credentials_token_issued: true,
  access_token_dropped: true,
  access_token_revoked: true,
  grant_revoked: true,
  grant_ended: true,
  refused: true,
  signing_keys_changed: true,
  signing_keys_refused: true,
  limiter_failed: true,
  failed: true,
  sign_in_succeeded: true,
  sign_in_failed: true,
  signed_out: true,
  account_added: true,
  account_password_changed: true,
  account_disabled: true,
  account_enabled: true,
  account_admin_added: true,
  account_admin_removed: true,
  account_removed: true,
  sessions_ended: true,
  passkey_added: true,
  passkey_removed: true,
  identity_linked: true,
  identity_removed: true,
} satisfies Record<ServiceEvent['type'], true>)

/** Seconds, from a bearer check without a store lookup to a password check. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** @param basePath of the application; its routes are relative to it */
export function createMetrics(basePath: string): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
  return {
    onEvent: countingEvents(registry),
    ...timings(registry, basePath),
    app: new Hono().get('/metrics', async (c) => c.body(await registry.metrics(), 200, headers)),
  }
}

function countingEvents(registry: Registry): OnEvent {
  const registers = [registry]
  const events = new Counter({
    name: 'grantkit_events_total',
    help: 'What happened, by type of event',
    labelNames: ['type'],
    registers,
  })
  const refusals = new Counter({
    name: 'grantkit_refusals_total',
    help: 'Refused and failed requests, by the error in the response and the reason in the log',
    labelNames: ['error', 'reason'],
    registers,
  })
  for (const type of EVENT_TYPES) events.inc({ type }, 0)
  return (event) => {
    events.inc({ type: event.type })
    if ('error' in event) refusals.inc({ error: event.error, reason: event.reason })
  }
}

function timings(registry: Registry, basePath: string): Pick<Metrics, 'timed' | 'timing'> {
  const durations = new Histogram({
    name: 'grantkit_http_request_duration_seconds',
    help: 'How long the answers of a route took, by its path as it is mounted',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  return {
    timed: (route) => ({
      ...route,
      async handle(request) {
        const stop = durations.startTimer({ route: route.path, method: methodOf(request) })
        const response = await route.handle(request)
        stop({ status: response.status })
        return response
      },
    }),
    async timing(c, next) {
      const route = matchedRoutes(c).findLast(({ path }) => path !== EVERY_PATH)?.path
      if (route === undefined) return next()
      const stop = durations.startTimer({ route: basePath + route, method: methodOf(c.req) })
      await next()
      stop({ status: c.res.status })
    },
  }
}

/** The path of middleware that runs for every request. */
const EVERY_PATH = '/*'

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']

/** A caller may send any method name, and each would create a new time series. */
function methodOf({ method }: { readonly method: string }): string {
  return METHODS.includes(method) ? method : 'other'
}
