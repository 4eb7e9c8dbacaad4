import { publicDocument } from '../document.ts'
import type { ServerContext } from '../server-context.ts'
import { KEY_SET_MAX_AGE } from '../tokens/key-rotation.ts'

/** The public signing keys (RFC 7517), those of this moment. */
export function jwks({ keys }: ServerContext): ReturnType<typeof publicDocument> {
  let shown = keys.published()
  let answer = publicDocument(shown, KEY_SET_MAX_AGE)
  return (request) => {
    const latest = keys.published()
    if (latest !== shown) {
      shown = latest
      answer = publicDocument(latest, KEY_SET_MAX_AGE)
    }
    return answer(request)
  }
}
