import { describe, expect, it } from 'vitest'
import { casesOf } from '../../test/written-history.ts'
import { judge } from './judge.ts'

const CASES = casesOf(`
code-twice is passed, strict: one of two redemptions wins
  0-1 user approve: ok C1
  2-9 app redeem C1: ok A1 R1
  2-8 app-2 redeem C1: invalid_grant

code-twice is unsafe, strict: two redemptions get tokens
  0-1 user approve: ok C1
  2-9 app redeem C1: ok A1 R1
  2-8 app-2 redeem C1: ok A2 R2

code-twice is unsafe, strict: a redemption with a wrong verifier wins
  0-1 user approve: ok C1
  2-9 app redeem C1: invalid_grant
  2-8 thief redeem C1 (a wrong PKCE verifier): ok A2 R2

code-twice is passed, strict: a wrong verifier burns the code
  0-1 user approve: ok C1
  2-9 thief redeem C1 (a wrong PKCE verifier): invalid_grant
  10-12 app redeem C1: invalid_grant

code-twice is unsafe, strict: the replay of a code leaves its tokens
  start
  4-5 thief redeem C1: invalid_grant
  6-7 app introspect A1: active

code-twice is passed, strict: the loser of a race leaves the tokens of the winner
  0-1 user approve: ok C1
  2-9 app redeem C1: ok A1 R1
  2-8 app-2 redeem C1: invalid_grant
  10-12 app refresh R1: ok A2 R2

lost-code-answer is passed, strict: the retry of a code whose answer was lost is refused
  0-1 user approve: ok C1
  2-9 app redeem C1: lost
  10-12 app redeem C1: invalid_grant

expired-code is unsafe, strict: a code works eleven minutes later
  0-1 user approve: ok C1
  662000-662001 app redeem C1: ok A1 R1

expired-code is passed, strict: a code is refused after its minute
  0-1 user approve: ok C1 expires=60
  62000-62001 app redeem C1: invalid_grant

redeem-vs-deny is unsafe, strict: a code works after its user denied
  0-1 user approve: ok C1
  2-3 user deny C1: ok
  4-5 app redeem C1: ok A1 R1

redeem-vs-deny is passed, strict: a redemption wins against a denial, and the grant ends
  0-1 user approve: ok C1
  2-9 user deny C1: ok
  3-5 app redeem C1: ok A1 R1
  10-12 app refresh R1: invalid_grant

redeem-vs-deny is unsafe, strict: the tokens outlive a denial that was acknowledged
  0-1 user approve: ok C1
  2-9 user deny C1: ok
  3-5 app redeem C1: ok A1 R1
  10-12 app refresh R1: ok A2 R2

device-twice is unsafe, strict: two polls win
  0-1 user approve D1: ok
  2-9 app poll D1: ok A1 R1
  2-8 app-2 poll D1: ok A2 R2

device-twice is unsafe, same-pair: two polls win a pair each
  0-1 user approve D1: ok
  2-9 app poll D1: ok A1 R1
  2-8 app-2 poll D1: ok A2 R2

device-twice is declared, same-pair: two polls get the same pair
  0-1 user approve D1: ok
  2-9 app poll D1: ok A1 R1
  2-8 app-2 poll D1: ok A1 R1

device-twice is unsafe, strict: a poll wins before the approval
  2-3 app poll D1: ok A1 R1
  4-5 user approve D1: ok

device-twice is passed, strict: polls wait for the approval
  0-1 app poll D1: authorization_pending
  2-3 user approve D1: ok
  4-5 app poll D1: slow_down
  6-7 app poll D1: ok A1 R1
  8-9 app-2 poll D1: invalid_grant
`)

describe('judge', () => {
  it.each(CASES)('$title', ({ check, verdict, declared, history }) => {
    expect(judge(check, history, declared)).toMatchObject({ id: check, verdict })
  })
})
