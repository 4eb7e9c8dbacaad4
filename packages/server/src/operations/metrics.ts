import { Hono } from 'hono'
import {
  Counter,
  collectDefaultMetrics,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { EVENT_TYPES, type OnEvent } from '../events.ts'
import { DURATION_BUCKETS, type OnResponse } from '../statistics/statistics.ts'

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Metrics of the service, for Prometheus. No label contains input of a caller.
 *
 * @param worker its number, if the server has several: the label `worker` of all metrics
 */
export function createMetrics(worker?: number) {
  const registry = new Registry()
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) })
  collectDefaultMetrics({ register: registry })
  const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
  return {
    onEvent: countingEvents(registry),
    onResponse: timingResponses(registry),
    /** The application for Prometheus. Serve it on a separate port, because it is not public. */
    app: new Hono().get('/metrics', async (c) => c.body(await registry.metrics(), 200, headers)),
    /** The same, for the primary process of several workers. */
    collect: (): Promise<WorkerMetrics> => registry.getMetricsAsJSON(),
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
  const signIns = new Counter({
    name: 'grantkit_sign_in_refusals_total',
    help: 'Sign-ins with an OpenID provider that were refused, by the id of the provider and the reason',
    labelNames: ['provider', 'reason'],
    registers,
  })
  // Every counter starts at 0, so that the first increase is visible.
  for (const type of EVENT_TYPES) events.inc({ type }, 0)
  return (event) => {
    events.inc({ type: event.type })
    if (event.type === 'sign_in_refused') signIns.inc({ provider: event.provider, reason: event.reason })
    if ('error' in event) refusals.inc({ error: event.error, reason: event.reason })
  }
}

function timingResponses(registry: Registry): OnResponse {
  const durations = new Histogram({
    name: 'grantkit_http_request_duration_seconds',
    help: 'How long the answers of a route took, by its path as it is mounted',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  return ({ method, route, status, seconds }) => durations.observe({ method, route, status }, seconds)
}

/** All metrics of a worker, with its number as the label `worker`. */
export type WorkerMetrics = readonly MetricObjectWithValues<MetricValue<string>>[]
