import { publicDocument } from '../document.ts'
import type { ServerContext } from '../server-context.ts'

/** The public signing keys (RFC 7517 5). */
export function jwks({ keys }: ServerContext): ReturnType<typeof publicDocument> {
  return publicDocument(keys.publicKeys)
}
