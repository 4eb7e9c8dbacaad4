import { describe, expect, it } from 'vitest'
import { countsOf } from './counts.ts'

const log = (testName: string, result: string | null, more: { started?: string; status?: string } = {}) => ({
  exportedVersion: '5.2.4',
  testInfo: {
    ...{ testName, result, variant: { response_type: 'code' }, description: 'basic' },
    ...{ started: '2026-11-26T20:00:00Z', status: 'FINISHED', ...more },
  },
})

describe('the results of the OpenID suite', () => {
  it('count warnings, reviews and skipped modules as passed, and no other result', () => {
    const results = ['PASSED', 'WARNING', 'REVIEW', 'SKIPPED', 'FAILED', 'UNKNOWN', null]
    const [counts] = countsOf(results.map((result, index) => log(`module-${index}`, result)))
    expect(counts).toMatchObject({ modules: 7, failed: 3, failures: ['module-4', 'module-5', 'module-6'] })
  })

  it('count a module that was interrupted as failed', () => {
    expect(countsOf([log('one', 'PASSED', { status: 'INTERRUPTED' })])).toMatchObject([{ failed: 1 }])
  })

  it('count the last run of a module that ran twice', () => {
    const again = log('one', 'PASSED', { started: '2026-11-27T01:00:00Z' })
    expect(countsOf([again, log('one', 'FAILED')])).toMatchObject([
      { plan: 'basic', modules: 1, failed: 0, date: '2026-11-27', suite: '5.2.4' },
    ])
  })
})
