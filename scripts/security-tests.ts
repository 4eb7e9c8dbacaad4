/** The list of docs/security-tests.md: every row with its sentence and the file of its test, by subject. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** A row stands at the lowest level where it can break. */
const TESTS = [
  '{apps/reference/test,apps/reference/test/security,proof/fuzz}/*.test.ts',
  'apps/reference/src/{oauth,school}/*.test.ts',
  'packages/{core,notifications,pages,server}/{src,test}/**/*.test.ts',
]

const natural = new Intl.Collator('en', { numeric: true }).compare

interface Row {
  readonly ids: readonly string[]
  readonly sentence: string
  readonly file: string
}

/** The rows in the names of the tests: `'RR-01, REQ-60: what is true'`. */
function rowsIn(file: string): Row[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const names = source.matchAll(/'((?:(?:[A-Z]{2}-\d\d|REQ-\d\d|D\d{1,2})(?:, )?)+): ((?:[^'\\]|\\.)+)'/g)
  return [...names].map(([, ids = '', sentence = '']) => ({
    ids: ids.split(', '),
    sentence: sentenceIn(sentence),
    file,
  }))
}

/** The name of a test, without its `each` placeholders. */
function sentenceIn(name: string): string {
  return name.replaceAll("\\'", "'").replace(/: (%[sj#]|\$\w+)$/, '')
}

/** The rows that every server has to keep. */
const REQUIRED = [
  ...Array.from({ length: 80 }, (_, index) => `REQ-${String(index + 1).padStart(2, '0')}`),
  ...Array.from({ length: 16 }, (_, index) => `D${index + 1}`),
]

/** The headings, and the letters of the ids below them. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  'Registration: redirect URIs and the rest': ['RR', 'DR'],
  'Authorization request: redirect URI, PKCE and the rest': ['RA', 'AQ'],
  'Code exchange and refresh': ['CR', 'RF'],
  'Client authentication': ['CA'],
  'Client secrets, changes of clients, initial access tokens': ['CS'],
  'Client credentials': ['MA'],
  'Resources and audiences, the protected API and MCP': ['RS', 'PR'],
  'JWTs and keys': ['JW'],
  'Claims of the operator': ['OC'],
  'Client ID metadata documents': ['CM'],
  'Forward auth, also through real gateways': ['GW'],
  'Pushed authorization requests': ['PA'],
  'Personal access tokens': ['PT'],
  'Token exchange': ['TX'],
  'Logout by a client': ['LO'],
  'Back-channel logout': ['BL'],
  'Device grant': ['DV'],
  DPoP: ['DP'],
  'The pages: sign-in, consent, sessions': ['UI'],
  'HTTP, the same on every framework': ['HT'],
  'Revocation and introspection': ['RV'],
  'Failing stores': ['ST'],
  'Decisions where the RFCs leave a choice': ['D'],
  'Requirements of the RFCs and of the service': ['REQ'],
}

const lettersOf = (id: string) => /^[A-Z]+/.exec(id)?.[0] ?? ''

/** @throws Error for a required row that no test names, and for an id without a subject */
export function securityList(): string {
  const rows = globSync(TESTS, { cwd: ROOT })
    .map((file) => file.split(sep).join('/'))
    .sort()
    .flatMap(rowsIn)
  const ids = rows.flatMap((row) => row.ids)
  const missing = REQUIRED.filter((required) => !ids.includes(required))
  if (missing.length > 0) throw new Error(`No test proves ${missing.join(', ')}`)
  const known = Object.values(SUBJECTS).flat()
  const strange = ids.filter((id) => !known.includes(lettersOf(id)))
  if (strange.length > 0) throw new Error(`No subject of scripts/security-tests.ts has ${strange.join(', ')}`)
  const written = new Set<Row>()
  return Object.entries(SUBJECTS)
    .map(([subject, letters]) => section(subject, letters, rows, written))
    .join('\n\n')
}

/** A row stands once, below the first subject of its ids. */
function section(subject: string, letters: readonly string[], rows: readonly Row[], written: Set<Row>) {
  const own = rows
    .filter((row) => !written.has(row) && row.ids.some((id) => letters.includes(lettersOf(id))))
    .map((row) => {
      const first = row.ids.filter((id) => letters.includes(lettersOf(id)))
      return { row, ids: [...first, ...row.ids.filter((id) => !first.includes(id))] }
    })
    .sort((one, other) => natural(one.ids[0] ?? '', other.ids[0] ?? ''))
  for (const { row } of own) written.add(row)
  const lines = own.map(
    ({ ids, row: { sentence, file } }) =>
      `- **${ids.join(', ')}** ${sentence} ([${basename(file, '.test.ts')}](../${file}))`,
  )
  return [`### ${subject}`, lines.join('\n')].join('\n\n')
}
