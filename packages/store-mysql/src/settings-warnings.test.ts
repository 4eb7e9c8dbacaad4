import { describe, expect, it } from 'vitest'
import { warningsOf } from './settings-warnings.ts'

/** Servers that no test starts. A real MariaDB is in `test/read-only.night.test.ts`. */

const MYSQL = {
  read_only: 'OFF',
  super_read_only: 'OFF',
  innodb_read_only: 'OFF',
  innodb_flush_log_at_trx_commit: '1',
  log_bin: 'ON',
  sync_binlog: '1',
  innodb_doublewrite: 'ON',
  transaction_isolation: 'READ-COMMITTED',
  innodb_lock_wait_timeout: '1',
}

const GALERA = {
  ...MYSQL,
  transaction_isolation: undefined,
  tx_isolation: 'READ-COMMITTED',
  wsrep_on: 'ON',
  wsrep_sync_wait: '0',
  max_statement_time: '0.000000',
  innodb_lock_wait_timeout: '50',
}

function warnings(settings: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return warningsOf(new Map(known))
}

describe('settingsWarnings', () => {
  it('has no warning for a MySQL with careful settings', () => {
    expect(warnings(MYSQL)).toEqual([])
  })

  it('warns of a MySQL that keeps the wait of a write that was given up', () => {
    expect(warnings({ ...MYSQL, innodb_lock_wait_timeout: '50' })).toEqual([
      expect.stringMatching(/^innodb_lock_wait_timeout is 50: .* set it to 1$/),
    ])
  })

  it.each(['super_read_only', 'innodb_read_only'])('warns of %s', (name) => {
    expect(warnings({ ...MYSQL, [name]: 'ON' })).toEqual([
      expect.stringMatching(`^${name} is ON: .* may be a replica`),
    ])
  })

  it('warns of a doublewrite buffer that is off', () => {
    expect(warnings({ ...MYSQL, innodb_doublewrite: 'OFF' })).toEqual([
      expect.stringMatching(/^innodb_doublewrite is OFF/),
    ])
  })

  it('warns of a Galera cluster whose nodes may read what is no longer true, until they wait for it', () => {
    expect(warnings(GALERA)).toEqual([expect.stringMatching(/^wsrep_sync_wait is 0/)])
    expect(warnings({ ...GALERA, wsrep_sync_wait: '7' })).toEqual([])
  })
})
