/**
 * Documents of known clients. Some hosts answer servers in data centres with a bot wall: the copy of the table then serves, until the
 * host says that its document is gone or is another one.
 */
import type { Kernel } from '../kernel/kernel.ts'
import type { Client, ClientDocument } from '../kernel/records.ts'
import type { Admission, AdmissionPolicy, ReadDocument } from './client-document.ts'
import type { LookedUp } from './document-look-up.ts'
import { hashOf } from './document-request.ts'

/** A document that `knownClients()` names. */
export interface KnownDocument {
  /** The `client_id`. */
  readonly url: string
  /** The id of the known client. Only https redirect URIs of this known client are accepted. */
  readonly knownClient: string
  /** Serves while the host answers in place of the document. Default: there is none. */
  readonly copy?:
    | {
        readonly members: Readonly<Record<string, unknown>>
        /** When the host published it, in epoch seconds. */
        readonly seen: number
      }
    | undefined
  /** The copy serves always, and the document is never fetched. Default false. */
  readonly pinned?: boolean | undefined
}

/** The copy of a document described a client, because its host withheld the document. */
export interface DocumentCopyUsed {
  readonly type: 'client_document_copy_used'
  readonly clientId: string
  readonly known: string
  /** Age of the copy, in seconds. */
  readonly age: number
}

/** Admits the documents of known clients with their https redirect URIs; the operator's policy decides on all others. */
export function admitKnown(documents: readonly KnownDocument[], admit: AdmissionPolicy): AdmissionPolicy {
  const known = new Set(documents.map(({ url }) => url))
  return (clientId) => (known.has(clientId) ? 'https-callbacks-too' : admit(clientId))
}

/** What the operator adds to the client of a document. */
export function admittedTerms(
  clientId: string,
  admission: Admission,
  documents: readonly KnownDocument[],
): Pick<Client, 'httpsCallbacks' | 'knownClient'> {
  const knownClient = documents.find(({ url }) => url === clientId)?.knownClient
  return { httpsCallbacks: admission === 'https-callbacks-too', ...(knownClient && { knownClient }) }
}

type Unreachable = Extract<LookedUp, { kind: 'unreachable' }>

/** @returns the client by the copy of its document; `undefined` if the copy must not serve */
export function documentCopies(kernel: Kernel, read: ReadDocument, documents: readonly KnownDocument[]) {
  return (clientId: string, found: Unreachable, approved: Client | undefined): Client | undefined => {
    const { copy, knownClient: known } = documents.find(({ url }) => url === clientId) ?? {}
    if (copy === undefined || known === undefined || !found.withheld || !found.mayBeStale) return undefined
    const verdict = read(clientId, copy.members, kernel.now())
    if (verdict.kind !== 'client') return undefined
    const document = { fetchedAt: copy.seen, hash: hashOf(verdict.client) }
    if ([found.last, approved?.document].some((other) => isLater(other, document))) return undefined
    const age = kernel.now() - copy.seen
    kernel.emit({ type: 'client_document_copy_used', clientId, known, age } satisfies DocumentCopyUsed)
    return { ...verdict.client, document }
  }
}

/** The host has published another document since. */
function isLater(other: ClientDocument | undefined, copy: ClientDocument): boolean {
  return other !== undefined && other.fetchedAt > copy.fetchedAt && other.hash !== copy.hash
}
