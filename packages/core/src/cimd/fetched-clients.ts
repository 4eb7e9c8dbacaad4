/**
 * Clients whose documents are fetched: as the current document describes them or, while its host is unreachable, as it
 * described them at the last approval. An approval writes a record; a removal leaves one.
 */
import {
  type ClientSource,
  changeClient,
  MAX_CLIENT_ID_LENGTH,
  storedClients,
} from '../clients/client-sources.ts'
import type { RequestingUser } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { StepFacts } from '../kernel/sign-in-steps.ts'
import { approvedRecord, changedMembers, type OnDocumentChange, refusedRecord } from './approved-record.ts'
import { type Admission, type AdmissionPolicy, clientIdUrlFault } from './client-document.ts'
import { documentLookUp } from './document-look-up.ts'
import type { DocumentSource } from './document-request.ts'
import { admittedTerms, documentCopies, type KnownDocument } from './known-documents.ts'

/** All connection failures have one text: differences could reveal networks behind this server. */
export const DOCUMENT_ERRORS = defineErrors({
  document_unreachable: [
    'temporarily_unavailable',
    'The client_id URL cannot be fetched at the moment. Try again later',
  ],
  document_invalid: ['invalid_client', 'The client_id URL has no valid client metadata document'],
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

export interface FetchedClientsOptions {
  readonly admit: AdmissionPolicy
  readonly onChange: OnDocumentChange
  readonly knownDocuments: readonly KnownDocument[]
}

export function fetchedClients(
  source: DocumentSource,
  { admit, onChange, knownDocuments }: FetchedClientsOptions,
): ClientSource {
  const { kernel } = source
  const { store, now, emit } = kernel
  const { records } = store.clients
  const stored = storedClients(records, kernel)
  const lookUp = documentLookUp(source)
  const copyOf = documentCopies(kernel, source.read, knownDocuments)

  function admissionOf(clientId: string): Admission {
    return clientIdUrlFault(clientId, kernel) === undefined ? admit(clientId) : 'no'
  }

  async function current(
    clientId: string,
    approved: Client | undefined,
    user: RequestingUser,
  ): Promise<Client> {
    const found = await lookUp(clientId, approved !== undefined, user)
    if (found.kind === 'document') return withFacts(found.client, user, { document: found.from })
    const parameters = { host: new URL(clientId).host }
    const facts = { fault: found.fault }
    if (found.kind === 'gone')
      throw new OAuthError(DOCUMENT_ERRORS.document_invalid, undefined, { parameters, facts })
    const { retryAfter, mayBeStale } = found
    const staleUntil = (approved?.document?.fetchedAt ?? 0) + MAX_STALE
    if (approved !== undefined && mayBeStale && now() < staleUntil)
      return withFacts(approved, user, { ...facts, document: 'last approval' })
    const copy = copyOf(clientId, found, approved)
    if (copy !== undefined) return withFacts(copy, user, { ...facts, document: 'copy' })
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

  function withFacts(client: Client, { request }: RequestingUser, facts: StepFacts): Client {
    kernel.attempts?.know(request, facts)
    return client
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
      let after: Client | undefined
      await changeClient(records, kernel, client.clientId, (seen) => {
        before = seen
        after = approvedRecord(seen, client, until, onChange)
        return after
      })
      const { clientId } = client
      const members = before === undefined || after === undefined ? [] : changedMembers(before, after)
      if (members.length > 0)
        emit({ type: 'client_document_changed', clientId, members } satisfies DocumentChanged)
    },

    async remove(clientId) {
      let existed = false
      await changeClient(records, kernel, clientId, (seen) => {
        existed = seen !== undefined && seen.refused !== true
        return seen?.refused === true ? undefined : refusedRecord(clientId, now())
      })
      return existed
    },
  }
}
