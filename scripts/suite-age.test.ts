import { describe, expect, it } from 'vitest'
import { BY_HAND, suiteResults, suiteTable } from '../docs/openid-suite-table.ts'
import { oldResults } from './suite-age.ts'

const [result] = suiteResults()
if (result === undefined) throw new Error('There are no results')

const results = (date: string, plan = 'basic') => [{ ...result, plan, date }]
const now = Date.parse('2026-12-15T12:00:00Z')

describe('the age of results of the OpenID suite', () => {
  it('allows a release for 14 days', () => {
    expect(oldResults(results('2026-12-01'), now)).toEqual([])
    expect(oldResults(results('2026-11-30'), now)).toEqual([
      'The results of the plan basic are 15 days old (at most 14 for a release)',
    ])
  })

  it('does not count for the plan that a person runs', () => {
    expect(oldResults(results('2026-01-01', BY_HAND), now)).toEqual([])
  })
})

describe('the table of results', () => {
  it('has a row for each plan, and an error if one is missing', () => {
    expect(suiteTable().split('\n')).toHaveLength(2 + suiteResults().length)
    expect(() => suiteTable([])).toThrow('no results of config')
  })

  it('cannot be made with a failure that the page does not explain', () => {
    const failing = suiteResults().map((row) => ({ ...row, failed: 1 }))
    expect(() => suiteTable(failing)).toThrow('does not say why config fails')
  })
})
