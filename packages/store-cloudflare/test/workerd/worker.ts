/** The Worker of the tests: they run inside it, and it serves an authorization server over each store. */
import { env } from 'cloudflare:workers'
import { createD1Store } from '../../src/d1.ts'
import { createDurableStore } from '../../src/durable-objects.ts'
import { PATIENT } from './patient.ts'
import { serviceOver } from './service.ts'

export { GrantkitRecords } from '../../src/durable-objects.ts'

export const ISSUERS = { objects: 'https://objects.example', d1: 'https://d1.example' }

// Made once for all requests of the isolate: nothing of a request may be kept in a store.
const services = new Map([
  [
    ISSUERS.objects,
    serviceOver(createDurableStore(env.RECORDS, { objects: 8, ...PATIENT }), ISSUERS.objects),
  ],
  [ISSUERS.d1, serviceOver(createD1Store(env.DB, PATIENT), ISSUERS.d1)],
])

export default {
  fetch(request: Request): Response | Promise<Response> {
    const service = services.get(new URL(request.url).origin)
    return service?.(request) ?? new Response('No such issuer', { status: 404 })
  },
}
