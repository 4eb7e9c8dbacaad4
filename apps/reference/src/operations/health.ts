import type { Store } from '@grantkit/core'
import { type Context, Hono } from 'hono'
import type { Database } from '../database/database.ts'
import { type Description, describe, forAnybody, jsonAnswer, ref } from '../openapi/operation.ts'

/** `/healthz`: the process runs. `/readyz`: it can serve requests. */
export function health(ready: () => Promise<boolean>): Hono {
  const notReady = { '503': jsonAnswer('Not ready', ref('Status'), { status: 'not ready' }) }
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
  const ok = { '200': jsonAnswer(summary, ref('Status'), { status: 'ok' }) }
  return describe(forAnybody('Health', operationId, summary, { ...ok, ...more }))
}

/** What the service cannot do without. Each rejects when it is out of reach. */
export interface Probes {
  readonly store: () => Promise<unknown>
  readonly database: () => Promise<unknown>
}

export function probesOf(store: Store, database: Database): Probes {
  return { store: () => store.clients.find('readiness probe'), database: () => database.probe() }
}

export async function reachable({ store, database }: Probes): Promise<boolean> {
  return Promise.all([store(), database()]).then(
    () => true,
    () => false,
  )
}
