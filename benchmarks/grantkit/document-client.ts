import { clientDocuments } from '@grantkit/core/client-documents'
import { CLIENT_METADATA } from '../src/sample.ts'

/** The address of the document of a client (draft-ietf-oauth-client-id-metadata-document). */
export const DOCUMENT_ID = 'https://client.dev/client.json'

/** Its host answers once: every later authorization has the document from the cache, or fails. */
export function documentsFetchedOnce() {
  let asked = 0
  return clientDocuments({
    async fetch() {
      asked += 1
      if (asked > 1) throw new Error('The document was fetched twice')
      const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=86400' }
      return { status: 200, headers, body: JSON.stringify({ client_id: DOCUMENT_ID, ...CLIENT_METADATA }) }
    },
  })
}
