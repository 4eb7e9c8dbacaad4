import {
  type ClientDocumentsOptions,
  clientDocuments,
  type DocumentFetchRequest,
} from '@grantkit/core/client-documents'
import { openService, type Service } from './service.ts'

/** A fake fetch of a host that publishes the client document of an editor. */

export const ID = 'https://editor.dev/client.json'
export const DOCUMENT = {
  client_id: ID,
  client_name: 'Editor',
  redirect_uris: ['http://127.0.0.1/callback', 'https://editor.dev/callback'],
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The document, as JSON or as text. */
  readonly document?: object | string
}

export interface DocumentHost {
  /** The response from now on. An Error is a network failure. */
  answer: Answer | Error
  readonly requests: (DocumentFetchRequest & { readonly url: string })[]
}

type Overrides = Parameters<typeof openService>[0] & Omit<ClientDocumentsOptions, 'fetch'>

/** A service that fetches client documents. The default document describes an editor. */
export function openWithDocuments({
  pinned,
  admit,
  onChange,
  knownDocuments,
  features: others = [],
  ...overrides
}: Overrides = {}): {
  service: Service
  host: DocumentHost
} {
  const host: DocumentHost = { answer: {}, requests: [] }
  const fetch: ClientDocumentsOptions['fetch'] = async (url, request) => {
    host.requests.push({ url, ...request })
    // As long as any other request can come in between.
    await new Promise((answered) => setImmediate(answered))
    if (host.answer instanceof Error) throw host.answer
    const { status = 200, headers = {}, document = { ...DOCUMENT, client_id: url } } = host.answer
    const body = typeof document === 'string' ? document : JSON.stringify(document)
    return { status, headers: { 'content-type': 'application/json', ...headers }, body }
  }
  const features = [clientDocuments({ pinned, admit, onChange, knownDocuments, fetch }), ...others]
  return { service: openService({ features, ...overrides }), host }
}

export function fault(code: string): Error {
  return Object.assign(new Error(`connect to 10.0.0.7: ${code}`), { code })
}
