import { describe, expect, it } from 'vitest'
import { DECLARED, written } from '../../test/written-history.ts'
import { IDEAL } from './declared.ts'
import { judge } from './judge.ts'

const START = `0-1 user approve: ok C1
2-3 app redeem C1: ok A1 R1`
const { strict = IDEAL, 'same-pair': samePair = IDEAL } = DECLARED

describe('judge', () => {
  it('skips a check that sent nothing', () => {
    expect(judge('crash', [], strict).verdict).toBe('skipped')
  })

  it('judges each grant alone: the end of one explains no refusal of another', () => {
    const ended = written(`${START}\n4-5 app refresh R1: ok A2 R2\n6-7 thief refresh R1: invalid_grant`, 'a')
    const neighbour = written(`${START}\n9-11 app refresh R1: invalid_grant`, 'b')
    const { verdict, counterexample = [] } = judge('neighbours', [...ended, ...neighbour], strict)
    expect(verdict).toBe('lossy')
    expect(counterexample.join('\n')).toContain('another grant: thief')
  })

  it('says unknown, not passed, for more open requests than it can search', () => {
    const open = Array.from({ length: 17 }, (_, at) => `${4 + at}-30 app-${at} refresh R1: lost`).join('\n')
    expect(judge('lost-answer', written(`${START}\n${open}`), strict).verdict).toBe('unknown')
  })

  it('reduces a long history to the requests that break the rule and those that brought their credentials', () => {
    const calm = Array.from({ length: 30 }, (_, at) => `${20 + at}-${21 + at} app use A1: active`).join('\n')
    const history = `${START}
      4-9 app refresh R1: ok A2 R2
      4-8 app-2 refresh R1: ok A3 R3
      5-9 app-3 refresh R1: invalid_grant
      ${calm}`
    const { seen, counterexample } = judge('refresh-twice', written(history), strict)
    expect(seen).toBe(
      'The refresh token R1 was accepted twice and gave the refresh token R3 and the refresh token R2.',
    )
    expect(counterexample).toEqual([
      '  0.0 - 1.0 ms  |==            |  user   approves      200: code C1',
      '  2.0 - 3.0 ms  |   ==         |  app    redeems C1    200: access token A1, refresh token R1',
      '> 4.0 - 9.0 ms  |      ========|  app    refreshes R1  200: access token A2, refresh token R2',
      '> 4.0 - 8.0 ms  |      ======= |  app-2  refreshes R1  200: access token A3, refresh token R3',
    ])
  })

  it.each([
    ['longer than the 60 s declared', '70000-70001'],
    ['though its successor had been used', '40000-40001'],
  ])('says that a pair was repeated %s', (reason, when) => {
    const history = written(`${START}
      4-9 app refresh R1: ok A2 R2
      10-12 app refresh R2: ok A3 R3
      ${when} thief refresh R1: ok A2 R2`)
    const { seen } = judge('refresh-twice', history, DECLARED['late-repeat'] ?? IDEAL)
    expect(seen).toMatch(new RegExp(`^The refresh token R1 worked .0 s after it was spent, ${reason}.$`))
  })

  it('shows the lost answer of a refused retry', () => {
    const history = written(
      `${START}\n4-9 app refresh R1: ok A2 R2 forgotten\n10-12 app refresh R1: invalid_grant`,
    )
    const { counterexample = [] } = judge('lost-answer', history, samePair)
    expect(counterexample.filter((line) => line.startsWith('>')).join('\n')).toContain(
      '(the app did not see it)',
    )
  })

  it('keeps what a server says on its line', () => {
    const history = written(`${START}\n4-9 app refresh R1: bad\u001b[2J\u202egrant`)
    expect(judge('crash', history, strict).counterexample?.join('')).toMatch(/^[\x20-\x7e]+$/)
  })

  it('never shows more than 12 lines', () => {
    const winners = Array.from({ length: 20 }, (_, at) => `4-9 app-${at} redeem C1: ok A${at} R${at}`).join(
      '\n',
    )
    const { counterexample } = judge('code-twice', written(`0-1 user approve: ok C1\n${winners}`), strict)
    expect(counterexample?.length).toBeLessThanOrEqual(12)
  })
})
