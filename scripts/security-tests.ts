/**
 * `node scripts/security-tests.ts` writes the table of docs/security-tests.md: every row with its sentence and its
 * file. A test compares the page with the tests, so they cannot drift apart.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** Tests of rows that wire, page or store can break, and of those that core alone decides. */
const TESTS = ['apps/reference/test/security/*.test.ts', 'packages/core/test/**/*.test.ts']
export const PAGE = join(ROOT, 'docs/security-tests.md')
const BEGIN = '<!-- rows, written by scripts/security-tests.ts -->'
const END = '<!-- end of rows -->'

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

export function securityRows(): Row[] {
  const files = globSync(TESTS, { cwd: ROOT }).map((file) => file.split(sep).join('/'))
  const natural = new Intl.Collator('en', { numeric: true })
  return files
    .sort()
    .flatMap(rowsIn)
    .sort((one, other) => natural.compare(one.id, other.id))
}

/** The page with the current rows of the tests. */
export function pageWithRows(page: string): string {
  const lines = securityRows().map(
    ({ id, sentence, file }) => `| ${id} | ${sentence} | [${basename(file, '.test.ts')}](../${file}) |`,
  )
  const table = ['| Row | What is true | Test |', '|---|---|---|', ...lines].join('\n')
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n${table}\n${END}${after}`
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, pageWithRows(readFileSync(PAGE, 'utf8')))
