/** Lets a test call both stores over HTTP: `POST /<store>/<method>` with the parameters as JSON. */
import { env } from 'cloudflare:workers'
import { createD1Store } from '../../src/d1.ts'
import { createDurableStore } from '../../src/durable-objects.ts'

export { GrantkitRecords } from '../../src/durable-objects.ts'

const stores = {
  objects: createDurableStore(env.RECORDS, { objects: 8, commandTimeout: 20_000 }),
  d1: createD1Store(env.DB, { commandTimeout: 20_000 }),
}

type Method = (...parameters: unknown[]) => Promise<unknown>

export default {
  async fetch(request: Request): Promise<Response> {
    const [store, method] = new URL(request.url).pathname.slice(1).split('/')
    if (method === undefined) return new Response('ready')
    const { grants } = stores[store as keyof typeof stores]
    const call = grants[method as keyof typeof grants] as Method
    return Response.json((await call(...((await request.json()) as unknown[]))) ?? null)
  },
}
