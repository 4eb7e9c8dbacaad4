import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { json } from '../http/responses.ts'
import type { Storage } from '../storage.ts'

const Status = z.object({ status: z.string() }).openapi('Status')
const probe = { method: 'get' as const, tags: ['Health'], security: [{}] }
const NO_STORE = { 'cache-control': 'no-store' }

const healthz = createRoute({
  ...{ ...probe, path: '/healthz', operationId: 'health', summary: 'The process answers' },
  responses: { 200: json('The process answers', Status, { status: 'ok' }) },
})
const readyz = createRoute({
  ...{ ...probe, path: '/readyz', operationId: 'readiness', summary: 'The service can do its work' },
  responses: {
    200: json('The service can do its work', Status, { status: 'ready' }),
    503: json('Not ready', Status, { status: 'not ready' }),
  },
})

export const HEALTH_PATHS: readonly string[] = [healthz.path, readyz.path]

/** `/healthz`: the process runs. `/readyz`: it can serve requests. */
export function health(ready: () => Promise<boolean>): OpenAPIHono {
  return new OpenAPIHono()
    .openapi(healthz, (c) => c.json({ status: 'ok' }, 200, NO_STORE))
    .openapi(readyz, async (c) =>
      (await ready())
        ? c.json({ status: 'ready' }, 200, NO_STORE)
        : c.json({ status: 'not ready' }, 503, NO_STORE),
    )
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
