import { describe, expect, it } from 'vitest'
import { casesOf } from '../../test/written-history.ts'
import { judge } from './judge.ts'

const CASES = casesOf(`
other-client is unsafe, strict: another client refreshes
  start
  4-5 other refresh R1 (another client): ok A2 R2

other-client is passed, strict: another client is refused
  start
  4-5 other refresh R1 (another client): invalid_grant
  6-7 app refresh R1: ok A2 R2

never-more is unsafe, strict: a refresh gets a scope that nobody approved
  start
  4-5 app refresh R1 (more scope than the grant): ok A2 R2

clock is lossy, strict: the clock of a replica is 90 s ahead
  0-1 app@a introspect A1: active skew=-400
  2-3 app@b introspect A1: active skew=89500

clock is lossy, strict: the only clock is far from here
  0-1 app introspect A1: active skew=-90400

clock is passed, strict: the clocks agree to a second
  0-1 app@a introspect A1: active skew=-900
  2-3 app@b introspect A1: active skew=100

clock is passed, strict: the header counts in whole seconds
  0-1 app@a introspect A1: active skew=-900
  2-3 app@b introspect A1: active skew=900

other-client is passed, strict: a spent token of another client may end the grant
  start
  2-3 app refresh R1: ok A2 R2
  4-5 other refresh R1 (another client): invalid_grant
  6-7 app refresh R2: invalid_grant

other-client is declared, overlap: another client burns one of two tokens
  start
  4-5 app refresh R1: ok A2 R2
  6-7 app refresh R1: ok A3 R3
  8-9 other refresh R2 (another client): invalid_grant
  10-11 app refresh R2: invalid_grant
  12-13 app refresh R3: ok A4 R4

quiet is noisy, strict: the loser of a race gets 500
  start
  4-9 app refresh R1: 500

quiet is noisy, strict: the loser of a race hangs
  start
  4-9 app refresh R1: silence

quiet is passed, strict: a busy server says 503, and the kit tore an answer
  start
  4-9 app refresh R1: 503
  10-12 app refresh R1: lost

quiet is passed, strict: a fault of another check is not its concern
  start
  4-9 app refresh R1: ok A2 R2
  4-8 app-2 refresh R1: ok A3 R3
`)

describe('judge', () => {
  it.each(CASES)('$title', ({ check, verdict, declared, history }) => {
    expect(judge(check, history, declared)).toMatchObject({ id: check, verdict })
  })
})
