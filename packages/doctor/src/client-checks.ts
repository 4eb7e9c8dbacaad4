import { loopbackOnly } from '@grantkit/core'
import type { DocumentFetchResponse } from '@grantkit/core/client-documents'
import { type Check, firstComplaint, orSkipped, skippedWithout } from './check.ts'
import { type ClientEvidence, documentAnswer, hostAnswer, readDocument } from './client-evidence.ts'
import { DOCUMENT_LIFE } from './document-life.ts'
import { clientIdFault, documentFault } from './document-rules.ts'

type Members = Readonly<Record<string, unknown>>

/** Pinned documents are not fetched, so this removes every fault on the way to the host. */
const PIN = 'ask its publisher, or pin the document (the option `pinned` of clientDocuments).'

/** Whether a server that fetches the documents of clients can serve this one. */
export const CLIENT_CHECKS: readonly Check<ClientEvidence>[] = [
  {
    id: 'client-id',
    causes: 'document_invalid',
    title: 'The client id is the address of a document',
    fix: 'The publisher must name it by a plain https address with a path, exactly as it is written in the document.',
    examine: ({ clientId }) => clientIdFault(clientId),
  },
  {
    id: 'client-host',
    causes: 'document_unreachable',
    title: 'Its host answers, at a public address, safely and in time',
    fix: `Run this on the host of the server. If it fails there: ${PIN}`,
    examine: skippedWithout(
      orSkipped(({ answer }: ClientEvidence) => answer, 'no server asks a host for such a client id'),
      (answer) => (answer instanceof Error ? reasonOf(answer) : undefined),
    ),
  },
  {
    id: 'client-status',
    causes: 'document_unreachable',
    title: 'There is a document, not a redirect or a bot wall',
    fix: `Only a 200 is a document, and no redirect is followed: ${PIN}`,
    examine: skippedWithout(orSkipped(hostAnswer, 'there is no answer of its host'), statusFault),
  },
  {
    id: 'client-type',
    causes: 'document_invalid',
    title: 'It is sent as JSON',
    fix: `It needs the type application/json: ${PIN}`,
    examine: skippedWithout(readDocument, ({ headers }) => {
      const type = headers['content-type'] ?? 'missing'
      return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type) ? undefined : `Content-Type is ${type}`
    }),
  },
  {
    id: 'client-document',
    causes: 'document_invalid',
    title: 'It describes this client, by the rules',
    fix: 'Only its publisher can change it. Who uses the client can register it as an integration instead.',
    examine: skippedWithout(readDocument, ({ body }, { clientId }) => {
      const members = membersOf(body)
      if (members === undefined) return 'it is no JSON object'
      const other = members.client_id !== clientId && `client_id is ${JSON.stringify(members.client_id)}`
      return firstComplaint([other, documentFault(members)])
    }),
  },
  {
    id: 'client-redirects',
    causes: 'redirect_uri_not_accepted',
    title: 'It has a redirect URI on the machine of the user',
    fix: 'Trust its https redirect URIs by `admit` (CIMD_ADMIT), or add it as an integration.',
    examine: skippedWithout(
      orSkipped(
        (evidence: ClientEvidence) => membersOf(documentAnswer(evidence)?.body),
        'there is no document in JSON',
      ),
      ({ redirect_uris: uris }) => {
        const listed = Array.isArray(uris) ? uris.map(String) : []
        return 'accepted' in loopbackOnly()(listed) ? undefined : `it lists ${listed.join(' ') || 'none'}`
      },
    ),
  },
  DOCUMENT_LIFE,
]

function statusFault({ status, headers }: DocumentFetchResponse): string | undefined {
  if (status === 200) return undefined
  const wall = headers['cf-mitigated'] === undefined ? '' : `, cf-mitigated: ${headers['cf-mitigated']}`
  const target = headers.location === undefined ? '' : ` to ${headers.location}`
  return `the answer was ${status}${target}${wall}`
}

/** With what lies behind it: the certificate that is wrong, say. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

function membersOf(body = ''): Members | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined
  } catch {
    return undefined
  }
}
