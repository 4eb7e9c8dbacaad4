import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { jsonAnswer, named } from '../openapi/answers.ts'
import { type Description, describe, forAnybody } from '../openapi/describe.ts'
import type { Storage } from '../storage.ts'

const Status = named('Status', z.object({ status: z.string() }))

/** `/healthz`: the process runs. `/readyz`: it can serve requests. */
export function health(ready: () => Promise<boolean>): Hono {
  const notReady = { 503: jsonAnswer('Not ready', Status, { status: 'not ready' }) }
  return new Hono()
    .get('/healthz', probe('health', 'The process answers'), (c) => status(c, 200, 'ok'))
    .get('/readyz', probe('readiness', 'The service can do its work', notReady), async (c) =>
      (await ready()) ? status(c, 200, 'ready') : status(c, 503, 'not ready'),
    )
}

function status(c: Context, code: 200 | 503, word: string): Response {
  return c.json({ status: word }, code, { 'cache-control': 'no-store' })
}

function probe(operationId: string, summary: string, more: Description['responses'] = {}) {
  const ok = { 200: jsonAnswer(summary, Status, { status: 'ok' }) }
  return describe(forAnybody('Health', operationId, summary, { ...ok, ...more }))
}

/** The dependencies of the service. Each probe rejects when its dependency is unreachable. */
export interface Probes {
  readonly store: () => Promise<unknown>
  readonly database: () => Promise<unknown>
}

export function probesOf({ store, probe, database }: Pick<Storage, 'store' | 'probe' | 'database'>): Probes {
  const find = () => store.clients.find('readiness probe')
  return { store: () => Promise.all([find(), probe?.()]), database: () => database.probe() }
}

/**
 * Concurrent requests share one probe: they are not authenticated, and each probe of SQLite writes. @param onError gets
 * the reason
 */
export function reachable(
  { store, database }: Probes,
  onError: (error: unknown) => void,
): () => Promise<boolean> {
  let pending: Promise<boolean> | undefined
  const probe = () =>
    Promise.all([store(), database()]).then(
      () => true,
      (error) => {
        onError(error)
        return false
      },
    )
  return () => {
    pending ??= probe().finally(() => {
      pending = undefined
    })
    return pending
  }
}
