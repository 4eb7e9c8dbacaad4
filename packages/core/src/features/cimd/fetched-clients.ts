/**
 * Clients whose documents are fetched: as the current document describes them or, while its host is unreachable, as it
 * described them at the last approval. An approval writes a record; a removal leaves one.
 */
import {
  CLIENT_ERRORS,
  type ClientSource,
  MAX_CLIENT_ID_LENGTH,
  storedClients,
} from '../../clients/client-record.ts'
import type { DocumentOrigin } from '../../kernel/events.ts'
import type { RequestingUser } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client, ClientDocument } from '../../kernel/records.ts'
import { changeRecord } from '../../kernel/store.ts'
import { type Admission, type AdmissionPolicy, clientIdUrlFault } from './client-document.ts'
import { type DocumentSource, documentLookUp, hashOf, type LookedUp } from './document-request.ts'

/** All connection failures have one text: differences could reveal networks behind this server. */
export const DOCUMENT_ERRORS = defineErrors({
  document_unreachable: [
    'temporarily_unavailable',
    'The client_id URL cannot be fetched at the moment. Try again later',
  ],
  document_invalid: ['invalid_client', 'The client_id URL has no valid client metadata document'],
  document_refused: ['invalid_client', 'This server does not accept the client of the client_id URL'],
})

/** A changed document of an approved client has taken effect. */
export interface DocumentChanged {
  readonly type: 'client_document_changed'
  readonly clientId: string
  /** Names of the members of `Client` that differ. */
  readonly members: readonly string[]
}

/** How long an approved document serves new authorizations while its host cannot be reached, in seconds. */
const MAX_STALE = 7 * 24 * 60 * 60

export interface FetchedClientsOptions extends DocumentSource {
  readonly admit: AdmissionPolicy
  readonly onChange: OnDocumentChange
  readonly knownDocuments: readonly KnownDocument[]
}

export function fetchedClients(options: FetchedClientsOptions): ClientSource {
  const { kernel, admit, onChange, knownDocuments } = options
  const { store, now, emit } = kernel
  const { records } = store.clients
  const stored = storedClients(records, kernel)
  const lookUp = documentLookUp(options)
  const copyOf = documentCopies(options)

  function admissionOf(clientId: string): Admission {
    return clientIdUrlFault(clientId, kernel) === undefined ? admit(clientId) : 'no'
  }

  const described = (client: Client, { request }: RequestingUser, from: DocumentOrigin, fault?: string) => {
    kernel.observer?.report({ fact: 'client_described', from, fault }, request)
    return client
  }

  async function current(clientId: string, approved: Client | undefined, user: RequestingUser) {
    const found = await lookUp(clientId, approved !== undefined, user)
    if (found.kind === 'document') return described(found.client, user, found.from)
    const parameters = { host: new URL(clientId).host }
    const facts = { fault: found.fault }
    if (found.kind === 'gone' && found.refused)
      throw new OAuthError(DOCUMENT_ERRORS.document_refused, found.fault, { parameters, facts })
    if (found.kind === 'gone')
      throw new OAuthError(DOCUMENT_ERRORS.document_invalid, undefined, { parameters, facts })
    const { retryAfter, mayBeStale } = found
    const staleUntil = (approved?.document?.fetchedAt ?? 0) + MAX_STALE
    if (approved !== undefined && mayBeStale && now() < staleUntil)
      return described(approved, user, 'last approval', found.fault)
    const copy = copyOf(clientId, found, approved)
    if (copy !== undefined) return described(copy, user, 'copy', found.fault)
    const [, type] = /^type (.+)$/.exec(found.fault ?? '') ?? []
    // It stays so until the developer of the app changes it.
    if (type !== undefined)
      throw new OAuthError(
        DOCUMENT_ERRORS.document_invalid,
        `The client_id URL has the Content-Type ${type}. Serve the document as application/json`,
        { parameters, facts },
      )
    throw new OAuthError(DOCUMENT_ERRORS.document_unreachable, undefined, { retryAfter, parameters, facts })
  }

  return {
    owns: (clientId) => clientId.startsWith('https://') && clientId.length <= MAX_CLIENT_ID_LENGTH,
    find: stored.find,
    describedBy: (clientId) => (admissionOf(clientId) === 'no' ? undefined : new URL(clientId).host),

    async describe(clientId, user) {
      const seen = (await records.find(clientId))?.value
      // A record of the operator takes precedence.
      if (seen !== undefined && seen.origin !== 'document') return seen
      const admission = admissionOf(clientId)
      if (seen?.refused === true || admission === 'no' || user === undefined) return undefined
      const client = await current(clientId, seen, user)
      return { ...client, ...admittedTerms(clientId, admission, knownDocuments) }
    },

    async keep(client, until) {
      if (client.origin !== 'document') return stored.keep?.(client, until)
      let before: Client | undefined
      const { clientId } = client
      const after = await changeRecord(records, clientId, kernel, (seen) => {
        before = seen
        return approvedRecord(seen, client, until, onChange)
      })
      const members = before === undefined || after === undefined ? [] : changedMembers(before, after)
      if (members.length > 0)
        emit({ type: 'client_document_changed', clientId, members } satisfies DocumentChanged)
    },

    async remove(clientId) {
      let existed = false
      await changeRecord(records, clientId, kernel, (seen) => {
        existed = seen !== undefined && seen.refused !== true
        return seen?.refused === true ? undefined : refusedRecord(clientId, now())
      })
      return existed
    },
  }
}

// Documents that the operator knows. Some hosts answer servers in data centres with a bot wall: the copy then serves, until the
// host says that its document is gone or is another one.

/** A document that the operator knows before it is fetched. `knownClients()` has a table. */
export interface KnownDocument {
  /** The `client_id`. */
  readonly url: string
  /** The id of a client. Only the https redirect URIs that belong to it are accepted. */
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

/** Admits these documents with their https redirect URIs; the operator's policy decides on all others. */
export function admitKnown(documents: readonly KnownDocument[], admit: AdmissionPolicy): AdmissionPolicy {
  const known = new Set(documents.map(({ url }) => url))
  return (clientId) => (known.has(clientId) ? 'https-callbacks-too' : admit(clientId))
}

/** What the operator adds to the client of a document. */
export function admittedTerms(
  clientId: string,
  admission: Admission,
  documents: readonly KnownDocument[],
): { readonly httpsCallbacks: boolean; readonly knownClient?: string } {
  const knownClient = documents.find(({ url }) => url === clientId)?.knownClient
  return { httpsCallbacks: admission === 'https-callbacks-too', ...(knownClient && { knownClient }) }
}

type Unreachable = Extract<LookedUp, { kind: 'unreachable' }>

/** @returns the client by the copy of its document; `undefined` if the copy must not serve */
function documentCopies({ kernel, read, knownDocuments }: FetchedClientsOptions) {
  return (clientId: string, found: Unreachable, approved: Client | undefined): Client | undefined => {
    const { copy, knownClient: known } = knownDocuments.find(({ url }) => url === clientId) ?? {}
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

// The record of a client that a document describes: what an approval writes, and what a removal leaves.

/** All installations of a client share one record. With a spare day, most approvals need no write. */
const DAY = 24 * 60 * 60
const FOREVER = 36_500 * DAY

/**
 * What happens to earlier grants when the document of their client changes. `keep`: they go on. `reconsent`: they end at their
 * next refresh if the name, the redirect URIs or the authentication method changed.
 */
export type OnDocumentChange = 'keep' | 'reconsent'

/** The members that a user's consent relies on. */
const CONSENTED_TO = ['clientName', 'redirectUris', 'tokenEndpointAuthMethod']

/**
 * The record after an approval; `undefined` if it stays as it is. The later copy of the document wins, since replicas fetch it
 * at different times.
 *
 * @param until epoch seconds until which the record must live
 * @throws OAuthError `client_unknown` when the operator removed the client
 */
export function approvedRecord(
  seen: Client | undefined,
  client: Client,
  until: number,
  onChange: OnDocumentChange = 'keep',
): Client | undefined {
  if (seen?.refused === true) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  const { createdAt, expiresAt = 0, document } = seen ?? {}
  const isNewer = client.document !== undefined && client.document.fetchedAt > (document?.fetchedAt ?? 0)
  if (!isNewer && expiresAt >= until) return undefined
  const newest = isNewer || seen === undefined ? client : seen
  return {
    ...newest,
    document: newest.document && { ...newest.document, consentSince: consentSince(seen, newest, onChange) },
    createdAt: createdAt ?? client.createdAt,
    expiresAt: expiresAt >= until ? expiresAt : until + DAY,
  }
}

function consentSince(
  before: Client | undefined,
  after: Client,
  onChange: OnDocumentChange,
): ClientDocument['consentSince'] {
  const changed = before !== undefined && onChange === 'reconsent' ? changedMembers(before, after) : []
  const isAskedAgain = changed.some((name) => CONSENTED_TO.includes(name))
  return isAskedAgain ? after.document?.fetchedAt : before?.document?.consentSince
}

export function changedMembers(before: Client, after: Client): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const textOf = (client: Client, name: string) => JSON.stringify(client[name as keyof Client])
  return [...names].filter(
    (name) => !SERVER_MEMBERS.includes(name) && textOf(before, name) !== textOf(after, name),
  )
}

const SERVER_MEMBERS = ['createdAt', 'expiresAt', 'document', 'httpsCallbacks', 'knownClient']

/** The record of a removed client. Its document does not restore the client. */
export function refusedRecord(clientId: string, now: number): Client {
  return {
    clientId,
    origin: 'document',
    applicationType: 'native',
    redirectUris: [],
    tokenEndpointAuthMethod: 'none',
    grantTypes: [],
    idTokenSignedResponseAlg: 'RS256',
    refused: true,
    createdAt: now,
    expiresAt: now + FOREVER,
  }
}
