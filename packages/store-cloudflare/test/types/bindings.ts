/** With the types of Cloudflare beside those of Node: the bindings are what the stores take. */
import { createD1Store, migrate } from '../../src/d1.ts'
import { createDurableStore, GrantkitRecords } from '../../src/durable-objects.ts'

export { GrantkitRecords }

interface Env {
  readonly RECORDS: DurableObjectNamespace<GrantkitRecords>
  readonly DB: D1Database
}

export default {
  async fetch(_request, env) {
    createDurableStore(env.RECORDS, { jurisdiction: 'eu', locationHint: 'weur' })
    await migrate(env.DB)
    await createD1Store(env.DB).sweep()
    // @ts-expect-error each store takes a binding of its own
    createDurableStore(env.DB)
    return new Response()
  },
} satisfies ExportedHandler<Env>
