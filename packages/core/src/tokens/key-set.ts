import type { Endpoint } from '../http/endpoint.ts'
import { publicDocument } from '../http/public-document.ts'
import { endpointPath, type PathOptions } from '../http/well-known.ts'
import { KEY_SET_MAX_AGE } from './key-rotation.ts'
import type { SigningKeys } from './signing-keys.ts'

export type KeySetOptions = PathOptions<'jwks'>

/** The current public signing keys (RFC 7517). */
export function keySet(keys: SigningKeys, { paths }: KeySetOptions): { endpoints: Endpoint[] } {
  let shown = keys.published()
  let document = publicDocument(shown, KEY_SET_MAX_AGE)
  return {
    endpoints: [
      {
        path: endpointPath('jwks', paths?.jwks, '/api/oauth/jwks'),
        metadataName: 'jwks_uri',
        summary: 'The public signing keys (RFC 7517)',
        methods: ['GET'],
        cors: true,
        answer(request) {
          const latest = keys.published()
          if (latest !== shown) {
            shown = latest
            document = publicDocument(latest, KEY_SET_MAX_AGE)
          }
          return document(request)
        },
      },
    ],
  }
}
