import { describe, expect, it } from 'vitest'
import { casesOf } from '../../test/written-history.ts'
import { judge } from './judge.ts'

const CASES = casesOf(`
after-revoke is passed, strict: a revocation ends the grant
  start
  4-5 app revoke R1: ok
  6-7 app introspect A1: inactive
  8-9 app refresh R1: invalid_grant

after-revoke is unsafe, token: a revoked refresh token works
  start
  4-5 app revoke R1: ok
  6-7 app refresh R1: ok A2 R2

after-revoke is unsafe, token: a revoked access token is active
  start
  4-5 app revoke A1: ok
  6-7 app use A1: active

after-revoke is declared, token: the access token lives on, as declared
  start
  4-5 app revoke R1: ok
  6-7 app use A1: active

after-revoke is passed, cache: a resource keeps an answer as long as declared
  start
  4-5 app revoke R1: ok
  4000-4001 app use A1: active

after-revoke is unsafe, cache: a resource keeps an answer longer than declared
  start
  4-5 app revoke R1: ok
  6000-6001 app use A1: active

replicas is unsafe, strict: another replica says active after the revocation
  start
  4-5 app@a revoke R1: ok
  6-7 app@b introspect A1: active

replicas is lossy, strict: another replica does not know the token
  start
  6-7 app@b introspect A1: inactive

replicas is passed, strict: the client may not introspect
  start
  6-7 app introspect A1: invalid_client

replicas is lossy, strict: another replica does not know the newest token
  start
  4-5 app@a refresh R1: ok A2 R2
  6-7 app@b introspect A2: inactive

replicas is passed, strict: a refresh may drop the older access token
  start
  4-5 app refresh R1: ok A2 R2
  6-7 app introspect A1: inactive

refresh-vs-revoke is unsafe, strict: the successor of a refresh on its way works
  start
  4-9 app refresh R1: ok A2 R2
  5-8 app revoke R1: ok
  10-12 app refresh R2: ok A3 R3

refresh-vs-revoke is passed, strict: a refresh on its way wins, and its successor ends
  start
  4-9 app refresh R1: ok A2 R2
  5-8 app revoke R1: ok
  10-12 app refresh R2: invalid_grant

refresh-vs-revoke is passed, strict: a revocation without an answer may not have happened
  start
  5-8 app revoke R1: lost
  10-12 app refresh R1: ok A2 R2

after-logout is unsafe, strict: a refresh token outlives the logout
  start
  4-5 user logout: ok
  6-7 app refresh R1: ok A2 R2

after-logout is declared, lenient-logout: a refresh token outlives the logout, as declared
  start
  4-5 user logout: ok
  6-7 app refresh R1: ok A2 R2

after-logout is passed, strict: an access token may outlive the logout
  start
  4-5 user logout: ok
  6-7 app use A1: active

exchange-outlives is unsafe, strict: an exchanged token outlives the grant
  start
  4-5 app exchange A1: ok A2
  6-7 app revoke R1: ok
  8-9 app use A2: active

exchange-outlives is unsafe, strict: the token of an ended grant is exchanged
  start
  6-7 app revoke R1: ok
  8-9 app exchange A1: ok A2

exchange-outlives is passed, strict: an exchanged token ends with the token that it was exchanged for
  start
  4-5 app exchange A1: ok A2
  6-7 app exchange A2: ok A3
  8-9 app revoke A1: ok
  10-11 app use A3: inactive
  12-13 app refresh R1: ok A4 R4

exchange-outlives is lossy, strict: an exchanged token ends with another token
  start
  4-5 app exchange A1: ok A2
  6-7 app exchange A1: ok A3
  8-9 app revoke A3: ok
  10-11 app use A2: inactive
  12-13 app refresh R1: ok A4 R4

exchange-outlives is lossy, strict: an exchanged token ends before the token that it was exchanged for is revoked
  start
  4-5 app exchange A1: ok A2
  6-7 app use A2: inactive
  8-9 app revoke A1: ok
  12-13 app refresh R1: ok A4 R4

expired-token is unsafe, strict: a token is active after its time
  0-1 user approve: ok C1
  2-3 app redeem C1: ok A1 R1 expires=2
  4000-4001 app use A1: active

expired-token is passed, strict: a token is inactive after its time
  0-1 user approve: ok C1
  2-3 app redeem C1: ok A1 R1 expires=2
  4000-4001 app use A1: inactive
`)

describe('judge', () => {
  it.each(CASES)('$title', ({ check, verdict, declared, history }) => {
    expect(judge(check, history, declared)).toMatchObject({ id: check, verdict })
  })
})
