import { type Check, firstComplaint, skippedWithout } from './check.ts'
import { documentOf, type Evidence } from './evidence.ts'

export type Metadata = Readonly<Record<string, unknown>>

/** Where the operator adds each client, none of them comes by itself. */
const openMetadata = ({ answers }: Evidence): Metadata | undefined => {
  const metadata = documentOf(answers.serverMetadata)
  return metadata && (registers(metadata) || readsDocuments(metadata)) ? metadata : undefined
}
export const registers = (metadata: Metadata) => metadata.registration_endpoint !== undefined
export const readsDocuments = (metadata: Metadata) => metadata.client_id_metadata_document_supported === true

/** These clients read the metadata, and by them choose how they become known and where they are answered. */
export const KNOWN_CLIENTS_CHECK: Check = {
  id: 'known-clients',
  causes: 'never_asked',
  title: 'Claude, ChatGPT, Codex, Cursor, VS Code and Copilot choose a way that can work here',
  fix: 'Offer S256 and the method none (CLIENT_AUTHENTICATION), and let iss pass: in the metadata and in every answer (RFC 9207).',
  examine: skippedWithout(openMetadata, (metadata) =>
    firstComplaint([
      !listed(metadata, 'code_challenge_methods_supported').includes('S256') && 'S256 is not offered',
      !listed(metadata, 'token_endpoint_auth_methods_supported').includes('none') &&
        'the method none is not offered, and they have no secret',
      metadata.authorization_response_iss_parameter_supported !== true &&
        'iss is not promised, so ChatGPT and Codex have other redirect URIs for each connector',
    ]),
  ),
  note: ({ answers }) => waysOf(documentOf(answers.serverMetadata) ?? {}),
}

function waysOf(metadata: Metadata): string {
  if (!readsDocuments(metadata)) return 'each of them by registration; --client cursor tries it'
  return registers(metadata)
    ? 'Cursor by registration, the others by their documents; --client cursor tries it'
    : 'each by its document, but Cursor, which has none: add it as an integration'
}

export function listed(metadata: Metadata, name: string): readonly string[] {
  return [metadata[name] ?? []].flat().map(String)
}
