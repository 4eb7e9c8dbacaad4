/**
 * Clients whose documents are fetched. An id goes in, and a client comes out: who the document says it is now, or, while
 * its host cannot be reached, who it said at an earlier approval.
 */
import {
  type ClientSource,
  changeClient,
  MAX_CLIENT_ID_LENGTH,
  storedClients,
} from '../clients/client-sources.ts'
import type { DocumentFetch } from '../http/document-fetch.ts'
import type { Kernel, RequestingUser } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { Admission, AdmissionPolicy } from './admission.ts'
import type { ReadDocument } from './client-document.ts'
import { clientIdUrlFault } from './client-id-url.ts'
import { documentLookUp } from './document-look-up.ts'
import { approvedRecord, changedMembers, type OnDocumentChange, refusedRecord } from './document-record.ts'

/** One text for all faults of the way: which one it was would tell of networks behind this server. */
export const DOCUMENT_ERRORS = defineErrors({
  document_unreachable: [
    'temporarily_unavailable',
    'The address of the application cannot be read at the moment; try again later',
  ],
  document_invalid: ['invalid_client', 'The address of the application describes no application'],
})

/** A document that an approved client published otherwise than before has taken effect. */
export interface DocumentChanged {
  readonly type: 'client_document_changed'
  readonly clientId: string
  /** Names of the members of `Client` that differ. */
  readonly members: readonly string[]
}

/** How long an approved document serves new authorizations while its host cannot be reached, in seconds. */
const MAX_STALE = 7 * 24 * 60 * 60

export function fetchedClients(
  kernel: Kernel,
  read: ReadDocument,
  fetch: DocumentFetch,
  admit: AdmissionPolicy,
  onChange: OnDocumentChange,
): ClientSource {
  const { store, now, emit } = kernel
  const { records } = store.clients
  const stored = storedClients(records)
  const lookUp = documentLookUp(kernel, read, fetch)

  function admissionOf(clientId: string): Admission {
    return clientIdUrlFault(clientId, kernel) === undefined ? admit(clientId) : 'no'
  }

  async function current(
    clientId: string,
    approved: Client | undefined,
    user: RequestingUser,
  ): Promise<Client> {
    const found = await lookUp(clientId, approved !== undefined, user)
    if (found.kind === 'document') return found.client
    if (found.kind === 'gone') throw new OAuthError(DOCUMENT_ERRORS.document_invalid)
    const { retryAfter, mayBeStale } = found
    const staleUntil = (approved?.document?.fetchedAt ?? 0) + MAX_STALE
    if (approved !== undefined && mayBeStale && now() < staleUntil) return approved
    throw new OAuthError(DOCUMENT_ERRORS.document_unreachable, undefined, { retryAfter })
  }

  return {
    owns: (clientId) => clientId.startsWith('https://') && clientId.length <= MAX_CLIENT_ID_LENGTH,
    find: stored.find,
    describedBy: (clientId) => (admissionOf(clientId) === 'no' ? undefined : new URL(clientId).host),

    async describe(clientId, user) {
      const seen = (await records.find(clientId))?.value
      // The operator knows better who this is.
      if (seen !== undefined && seen.origin !== 'document') return seen
      const admission = admissionOf(clientId)
      if (seen?.refused === true || admission === 'no' || user === undefined) return undefined
      const client = await current(clientId, seen, user)
      return { ...client, httpsCallbacks: admission === 'https-callbacks-too' }
    },

    async keep(client, until) {
      if (client.origin !== 'document') return stored.keep?.(client, until)
      let before: Client | undefined
      let after: Client | undefined
      await changeClient(records, client.clientId, (seen) => {
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
      await changeClient(records, clientId, (seen) => {
        existed = seen !== undefined && seen.refused !== true
        return seen?.refused === true ? undefined : refusedRecord(clientId, now())
      })
      return existed
    },
  }
}
