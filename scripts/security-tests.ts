/**
 * `node scripts/security-tests.ts` writes the table of docs/security-tests.md: every row of the security tests with its
 * sentence and its file. A test compares the page with the tests, so that neither can drift from the other.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = 'apps/reference/test/security'
export const PAGE = join(ROOT, 'docs/security-tests.md')
const BEGIN = '<!-- rows, written by scripts/security-tests.ts -->'
const END = '<!-- end of rows -->'

interface Row {
  readonly id: string
  readonly sentence: string
  readonly file: string
}

/** The rows that the names of the tests prove: `'RR-01, REQ-60: what is true'`. */
function rowsIn(file: string): Row[] {
  const source = readFileSync(join(ROOT, FOLDER, file), 'utf8')
  const names = source.matchAll(/'((?:(?:[A-Z]{2}-\d\d|REQ-\d\d|D\d{1,2})(?:, )?)+): ((?:[^'\\]|\\.)+)'/g)
  return [...names].flatMap(([, ids = '', sentence = '']) =>
    ids.split(', ').map((id) => ({ id, sentence: sentence.replaceAll("\\'", "'"), file })),
  )
}

export function securityRows(): Row[] {
  const files = readdirSync(join(ROOT, FOLDER)).filter((file) => file.endsWith('.test.ts'))
  const natural = new Intl.Collator('en', { numeric: true })
  return files.flatMap(rowsIn).sort((one, other) => natural.compare(one.id, other.id))
}

/** The page with the rows as the tests have them now. */
export function pageWithRows(page: string): string {
  const lines = securityRows().map(
    ({ id, sentence, file }) =>
      `| ${id} | ${sentence} | [${file.replace('.test.ts', '')}](../${FOLDER}/${file}) |`,
  )
  const table = ['| Row | What is true | Test |', '|---|---|---|', ...lines].join('\n')
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n${table}\n${END}${after}`
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, pageWithRows(readFileSync(PAGE, 'utf8')))
