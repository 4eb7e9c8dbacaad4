/**
 * Faults in SQL and Lua. Stryker changes only JavaScript, and for it a statement is a text. Each must fail a test of its store
 * against the real server.
 */
export interface StatementMutant {
  readonly store: 'sqlite' | 'postgres' | 'redis' | 'mysql'
  /** What is wrong with it, as a sentence. */
  readonly fault: string
  /** In `packages/store-<store>/src`. */
  readonly file: string
  /** Text that the file has once. */
  readonly from: string
  readonly to: string
}

const SQLITE = inStore('sqlite')
const POSTGRES = inStore('postgres')
const REDIS = inStore('redis')
const MYSQL = inStore('mysql')

export const STATEMENT_MUTANTS: readonly StatementMutant[] = [
  SQLITE(
    'records.ts',
    'A replacement ignores the version',
    'WHERE id = ? AND version = ? AND',
    'WHERE id = ? AND ? <> 0 AND',
  ),
  SQLITE(
    'records.ts',
    'A record is found in the second of its end',
    'expires_at > ?`)\n  // An',
    'expires_at >= ?`)\n  // An',
  ),
  SQLITE('records.ts', 'An insertion overwrites a live record', '.expires_at <= ?', '.expires_at <> ?'),
  SQLITE('records.ts', 'An expired record blocks its id', '.expires_at <= ?', '.expires_at < 0 * ?'),
  SQLITE(
    'records.ts',
    'An expired record can be replaced',
    'version = ? AND expires_at > ?',
    'version = ? AND 0 < ?',
  ),
  SQLITE(
    'records.ts',
    'The removal of an expired record succeeds',
    'expires_at > ?`)\n  const page',
    '0 < ?`)\n  const page',
  ),
  SQLITE(
    'grant-records.ts',
    'A page begins with the last grant of the page before',
    '(created_at, id) < (?, ?)',
    '(created_at, id) <= (?, ?)',
  ),
  POSTGRES(
    'statements.ts',
    'A replacement ignores the version',
    'version IN ($3, $5) AND',
    '$5::text <> $3 AND',
  ),
  POSTGRES(
    'statements.ts',
    'A shared replacement ignores the version',
    '.version = free.seen',
    ".version <> ''",
  ),
  POSTGRES(
    'statements.ts',
    'A write that is sent twice loses to itself',
    'version IN ($3, $5)',
    'version = $5 AND $3::text <> $5',
  ),
  POSTGRES(
    'statements.ts',
    'A record is found in the second of its end',
    '}.expires_at >`',
    '}.expires_at >=`',
  ),
  POSTGRES('statements.ts', 'An insertion overwrites a live record', '.expires_at <= $', '.expires_at <> $'),
  POSTGRES('statements.ts', 'An expired record blocks its id', '.expires_at <= $', '.expires_at < 0 * $'),
  POSTGRES(
    'statements.ts',
    'A list has expired grants',
    '($2, $3) AND expires_at > $4',
    '($2, $3) AND 0 < $4',
  ),
  POSTGRES(
    'statements.ts',
    'A sweep deletes what ends tomorrow',
    'sweep_day <= $1 ORDER',
    'sweep_day <= $1 + 1 ORDER',
  ),
  REDIS('redis-records.ts', 'A write ignores the version', 'if version ~= ARGV[1] then return 0 end', ''),
  REDIS(
    'redis-records.ts',
    'A write that is sent twice loses to itself',
    'if version == string.sub(',
    'if false and version == string.sub(',
  ),
  REDIS('redis-records.ts', 'A record never expires', ", 'EXAT', ARGV[3])", ')'),
  REDIS(
    'redis-records.ts',
    'A refused write is reported as written',
    'if version ~= ARGV[1] then return 0 end',
    'if version ~= ARGV[1] then return 1 end',
  ),
  REDIS('subject-index.ts', 'A list expires with its first entry', 'KEYS[1], -1, -1', 'KEYS[1], 0, 0'),
  REDIS(
    'subject-index.ts',
    'A page begins with the last grant of the page before',
    'rank and rank + 1 or',
    'rank or',
  ),
  MYSQL('statements.ts', 'A replacement ignores the version', 'version IN (?, ?) AND', '? <> ? AND'),
  MYSQL('statements.ts', 'An insertion overwrites a live record', 'expires_at <= ? OR', 'expires_at <> ? OR'),
  MYSQL(
    'statements.ts',
    'A refused write is reported as written',
    '[WRITTEN, REFUSED] = [1, 2]',
    '[WRITTEN, REFUSED] = [1, 1]',
  ),
  MYSQL(
    'statements.ts',
    'A record is found in the second of its end',
    'expires_at > ?`,\n    insert',
    'expires_at >= ?`,\n    insert',
  ),
  MYSQL(
    'statements.ts',
    'A page begins with the last grant of the page before',
    'created_at = ? AND id < ?',
    'created_at = ? AND id <= ?',
  ),
]

function inStore(store: StatementMutant['store']) {
  return (file: string, fault: string, from: string, to: string): StatementMutant => ({
    store,
    file,
    fault,
    from,
    to,
  })
}
