import { type Check, firstComplaint, Skipped, skippedWithout } from './check.ts'
import { type Evidence, listed, type Metadata, metadata } from './evidence.ts'
import { readMetadata } from './metadata-checks.ts'

/** Where the operator adds each client, none of them comes by itself. */
const openMetadata = (evidence: Evidence): Metadata | Skipped => {
  const document = readMetadata(evidence)
  if (document instanceof Skipped || registers(document) || readsDocuments(document)) return document
  return new Skipped('the operator adds each client')
}
export const registers = (document: Metadata) => document.registration_endpoint !== undefined
export const readsDocuments = (document: Metadata) => document.client_id_metadata_document_supported === true

/** These clients read the metadata, and by them choose how they become known and where they are answered. */
export const KNOWN_CLIENTS_CHECK: Check = {
  id: 'known-clients',
  causes: 'never_requested',
  title: 'Claude, ChatGPT, Codex, Cursor, VS Code and Copilot choose a way that can work here',
  fix: 'Offer S256 and the method none (CLIENT_AUTHENTICATION), and let iss pass: in the metadata and in every answer (RFC 9207).',
  examine: skippedWithout(openMetadata, (document) =>
    firstComplaint([
      !listed(document, 'code_challenge_methods_supported').includes('S256') && 'S256 is not offered',
      !listed(document, 'token_endpoint_auth_methods_supported').includes('none') &&
        'the method none is not offered, and they have no secret',
      document.authorization_response_iss_parameter_supported !== true &&
        'iss is not promised, so ChatGPT and Codex have other redirect URIs for each connector',
    ]),
  ),
  note: (evidence) => waysOf(metadata(evidence) ?? {}),
}

function waysOf(document: Metadata): string {
  if (!readsDocuments(document)) return 'each of them by registration; --client cursor tries it'
  return registers(document)
    ? 'Cursor by registration, the others by their documents; --client cursor tries it'
    : 'each by its document, but Cursor, which has none: add it as an integration'
}
