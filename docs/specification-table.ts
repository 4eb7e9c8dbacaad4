/** Which file of core and its messages holds which section of which specification, read from the comments that name them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGES = join(import.meta.dirname, '../packages')

/** What they keep. A document that a comment names and that is missing here is an error. */
const TITLES: Readonly<Record<string, string>> = {
  'RFC 2104': 'HMAC',
  'RFC 3986': 'Uniform Resource Identifiers',
  'RFC 4291': 'IPv6 addresses',
  'RFC 4647': 'Matching of language tags',
  'RFC 4648': 'Base64',
  'RFC 5869': 'HMAC-based key derivation (HKDF)',
  'RFC 6177': 'IPv6 assignments to sites',
  'RFC 6585': '429 Too Many Requests',
  'RFC 6749': 'OAuth 2.0',
  'RFC 6750': 'Bearer tokens',
  'RFC 6761': 'Special names',
  'RFC 6762': 'Names ending in `.local`',
  'RFC 7009': 'Revocation',
  'RFC 7515': 'JSON Web Signature',
  'RFC 7517': 'JSON Web Key sets',
  'RFC 7518': 'JSON Web Algorithms',
  'RFC 7519': 'JSON Web Token',
  'RFC 7521': 'Assertions',
  'RFC 7523': 'JWT assertions of clients, and as grants',
  'RFC 7591': 'Dynamic client registration',
  'RFC 7617': 'HTTP Basic',
  'RFC 7636': 'PKCE',
  'RFC 7638': 'Thumbprints of keys',
  'RFC 7662': 'Introspection',
  'RFC 7686': 'Names ending in `.onion`',
  'RFC 7800': 'Proof-of-possession keys in tokens',
  'RFC 8037': 'Ed25519 keys',
  'RFC 8176': 'Authentication methods (`amr`)',
  'RFC 8252': 'Native apps',
  'RFC 8259': 'JSON',
  'RFC 8375': 'Names ending in `home.arpa`',
  'RFC 8414': 'Server metadata',
  'RFC 8628': 'Device grant',
  'RFC 8705': 'Mutual TLS',
  'RFC 8693': 'Token exchange',
  'RFC 8707': 'Resource indicators',
  'RFC 8725': 'JWT best practice',
  'RFC 9068': 'JWT access tokens',
  'RFC 9101': 'Signed authorization requests',
  'RFC 9110': 'HTTP',
  'RFC 9111': 'HTTP caching',
  'RFC 9112': 'HTTP/1.1',
  'RFC 9126': 'Pushed authorization requests',
  'RFC 9207': '`iss` in the authorization response',
  'RFC 9396': 'Rich authorization requests',
  'RFC 9449': 'DPoP',
  'RFC 9470': 'Step-up authentication',
  'RFC 9476': 'Names ending in `.alt`',
  'RFC 9700': 'Security best practice',
  'RFC 9728': 'Protected-resource metadata',
  'RFC 9864': 'Fully specified algorithms',
  'OpenID Connect Core': '1.0',
  'OpenID Connect Discovery': '1.0',
  'Form Post Response Mode': '1.0',
  CIBA: 'OpenID Connect Client-Initiated Backchannel Authentication Core 1.0',
  'RP-Initiated Logout': '1.0',
  'Back-Channel Logout': '1.0',
  'FAPI 2.0 Security Profile': '(Final)',
  'FAPI 2.0 Message Signing': '(Final)',
  JARM: 'Signed authorization responses',
  'draft-ietf-oauth-client-id-metadata-document': 'Client ID Metadata Documents',
  'draft-ietf-oauth-identity-assertion-authz-grant': '-04: ID-JAG',
  'draft-ietf-oauth-refresh-token-expiration': 'When refresh tokens end',
  'draft-mcguinness-oauth-resource-token-resp': 'The resource in the token response',
}

const DOCUMENT =
  /(RFC \d{4}|CIBA|OpenID Connect (?:Core|Discovery)|Form Post Response Mode|(?:RP-Initiated|Back-Channel) Logout|FAPI 2\.0 (?:Security Profile|Message Signing)|JARM|draft-[a-z-]+[a-z])(?: 1\.0| \(Final\))?/
const SECTIONS = /((?:,? (?:and )?\d+(?:\.\d+)*)*)/
const CITATION = new RegExp(`(?<!/)${DOCUMENT.source}${SECTIONS.source}`, 'g')
const COMMENT = /\/\*\*.*?\*\/|\/\/[^\n]*/gs
const naturally = new Intl.Collator('en', { numeric: true }).compare

interface Citation {
  readonly document: string
  readonly file: string
  readonly sections: readonly string[]
}

function citationsIn(file: string): readonly Citation[] {
  const comments = readFileSync(join(PACKAGES, file), 'utf8').match(COMMENT) ?? []
  const text = comments.map((comment) => comment.replaceAll(/\n\s*\*?\s*/g, ' ')).join('\n')
  return [...text.matchAll(CITATION)].map(([, document = '', sections = '']) => {
    return {
      document,
      file: file.replace(/^core\/src\/|src\//, ''),
      sections: sections.match(/\d+(?:\.\d+)*/g) ?? [],
    }
  })
}

/** The table of reference/specifications.md. */
export function specificationTable(): string {
  const files = globSync('{core,notifications}/src/**/*.ts', {
    cwd: PACKAGES,
    exclude: ['**/*.test.ts'],
  }).sort()
  const byDocument = Map.groupBy(files.flatMap(citationsIn), ({ document }) => document)
  const unnamed = [...byDocument.keys()].filter((document) => TITLES[document] === undefined)
  if (unnamed.length > 0)
    throw new Error(`docs/specification-table.ts has no title for ${unnamed.join(', ')}`)
  const rows = Object.entries(TITLES).map(([document, title]) => {
    return [`${document} ${title}`, places(byDocument.get(document) ?? [])]
  })
  return [['Document', 'Files, with sections'], ['---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function places(citations: readonly Citation[]): string {
  const byFile = Map.groupBy(citations, ({ file }) => file)
  const places = [...byFile].map(([file, citationsOfFile]) => {
    const sections = new Set(citationsOfFile.flatMap((citation) => citation.sections))
    return { file, sections: [...sections].sort(naturally).join(', ') }
  })
  return places
    .sort((one, other) => naturally(one.sections, other.sections))
    .map(({ file, sections }) => `\`${file}\` ${sections}`.trim())
    .join('<br>')
}
