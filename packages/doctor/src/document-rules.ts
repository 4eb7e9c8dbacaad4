import { createAuthorizationServer, type Feature, type Interaction } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientDocuments } from '@grantkit/core/client-documents'
import { createMemoryStore } from '@grantkit/store-memory'

/** This server gets no request: its start validates documents by the same rules as every other server. */
const A_SERVER = {
  issuer: 'https://doctor.invalid',
  scopes: { any: { description: '' } },
  secret: 'the secret of a server without requests',
  keys: [],
  interaction: {} as Interaction,
} as const

type Members = Readonly<Record<string, unknown>>

/** The error in a document; `undefined` if every server accepts it. */
export function documentFault(document: Members): string | undefined {
  const fault = faultAt(document, [])
  if (fault === undefined) return undefined
  const faultWithKeys = faultAt(document, [clientAssertion({ fetch: () => Promise.reject() })])
  return (
    faultWithKeys ?? 'only a server that takes assertions lets it in: it has no other way to authenticate'
  )
}

/** @param features of the server besides documents */
function faultAt(document: Members, features: readonly Feature[]): string | undefined {
  // Each server has scopes of its own.
  const { scope, ...others } = document
  const pinned = [typeof scope === 'string' ? others : document]
  try {
    createAuthorizationServer({
      ...A_SERVER,
      store: createMemoryStore(),
      features: [clientDocuments({ pinned }), ...features],
    })
    return undefined
  } catch (error) {
    return (error as Error).message.replace(/^pinned\[0\]: /, '')
  }
}

/** The fault of a client id that is to be the address of a document. */
export function clientIdFault(clientId: string): string | undefined {
  return documentFault({ client_id: clientId, client_name: 'App', redirect_uris: ['http://127.0.0.1/'] })
}
