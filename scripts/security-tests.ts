/** The table of docs/security-tests.md: every row with its sentence and the file of its test. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** Tests of rows that wire, page or store can break, and of those that core and its messages alone decide. */
const TESTS = [
  '{apps/reference/test/security,proof/fuzz}/*.test.ts',
  'packages/{core,notifications}/{src,test}/**/*.test.ts',
]

interface Row {
  readonly id: string
  readonly sentence: string
  readonly file: string
}

/** The rows in the names of the tests: `'RR-01, REQ-60: what is true'`. */
function rowsIn(file: string): Row[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const names = source.matchAll(/'((?:(?:[A-Z]{2}-\d\d|REQ-\d\d|D\d{1,2})(?:, )?)+): ((?:[^'\\]|\\.)+)'/g)
  return [...names].flatMap(([, ids = '', sentence = '']) =>
    ids.split(', ').map((id) => ({ id, sentence: sentenceIn(sentence), file })),
  )
}

/** The name of a test, without its `each` placeholders. */
function sentenceIn(name: string): string {
  return name.replaceAll("\\'", "'").replace(/: %[sj#]$/, '')
}

/** The rows that every server has to keep. */
const REQUIRED = [
  ...Array.from({ length: 80 }, (_, index) => `REQ-${String(index + 1).padStart(2, '0')}`),
  ...Array.from({ length: 16 }, (_, index) => `D${index + 1}`),
]

/** @throws Error for a required row that no test names */
export function securityTable(): string {
  const files = globSync(TESTS, { cwd: ROOT }).map((file) => file.split(sep).join('/'))
  const natural = new Intl.Collator('en', { numeric: true })
  const rows = files
    .sort()
    .flatMap(rowsIn)
    .sort((one, other) => natural.compare(one.id, other.id))
  const missing = REQUIRED.filter((required) => rows.every(({ id }) => id !== required))
  if (missing.length > 0) throw new Error(`No test proves ${missing.join(', ')}`)
  const lines = rows.map(
    ({ id, sentence, file }) => `| ${id} | ${sentence} | [${basename(file, '.test.ts')}](../${file}) |`,
  )
  return ['| Row | What is true | Test |', '|---|---|---|', ...lines].join('\n')
}
