import { CACHEABLE, type HttpResponse, json } from '../http.ts'
import type { ServerContext } from '../server-context.ts'

/** The public signing keys (RFC 7517 5), made once at the start. */
export function jwks(server: ServerContext): () => HttpResponse {
  const document = json(200, server.keys.publicKeys, CACHEABLE)
  return () => document
}
