import { describe, expect, it } from 'vitest'
import { casesOf } from '../../test/written-history.ts'
import { judge } from './judge.ts'

const CASES = casesOf(`
refresh-twice is unsafe, strict: two refreshes get successors
  start
  4-9 app refresh R1: ok A2 R2
  4-8 app-2 refresh R1: ok A3 R3

refresh-twice is passed, strict: one of two refreshes wins, and the grant may end
  start
  4-9 app refresh R1: ok A2 R2
  4-8 app-2 refresh R1: invalid_grant
  10-12 app refresh R2: invalid_grant

refresh-twice is declared, same-pair: two refreshes get the same pair
  start
  4-9 app refresh R1: ok A2 R2
  4-8 app-2 refresh R1: ok A2 R2

refresh-twice is unsafe, same-pair: two refreshes get two pairs though one is declared
  start
  4-9 app refresh R1: ok A2 R2
  4-8 app-2 refresh R1: ok A3 R3

refresh-twice is declared, overlap: each refresh in the overlap gets a pair
  start
  4-9 app refresh R1: ok A2 R2
  4-8 app-2 refresh R1: ok A3 R3
  10-12 app refresh R3: ok A4 R4

refresh-twice is unsafe, overlap: a spent token works after the overlap
  start
  4-9 app refresh R1: ok A2 R2
  12000-12001 app-2 refresh R1: ok A3 R3

refresh-twice is unsafe, same-pair: a spent token gives its pair after the window
  start
  4-9 app refresh R1: ok A2 R2
  12000-12001 app-2 refresh R1: ok A2 R2

refresh-twice is declared, none: refresh tokens do not rotate
  start
  4-9 app refresh R1: ok A2
  10-12 app refresh R1: ok A3

same-second is unsafe, strict: a token two rotations old works in the same second
  start
  4-5 app refresh R1: ok A2 R2
  6-7 app refresh R2: ok A3 R3
  8-9 thief refresh R1: ok A4 R4

replay-contained is unsafe, strict: the successor lives on after a replay
  start
  4-5 app refresh R1: ok A2 R2
  6-7 thief refresh R1: invalid_grant
  8-9 app refresh R2: ok A3 R3

replay-contained is declared, lenient-replay: the successor lives on, as declared
  start
  4-5 app refresh R1: ok A2 R2
  6-7 thief refresh R1: invalid_grant
  8-9 app refresh R2: ok A3 R3

replay-contained is passed, strict: a replay ends the grant
  start
  4-5 app refresh R1: ok A2 R2
  6-7 thief refresh R1: invalid_grant
  8-9 app refresh R2: invalid_grant

replay-contained is unsafe, same-pair: the grant lives on after a replay outside the window
  start
  4-5 app refresh R1: ok A2 R2
  12000-12001 thief refresh R1: invalid_grant
  12002-12003 app refresh R2: ok A3 R3

after-replay is unsafe, strict: what is gone comes back
  start
  4-9 app refresh R1: ok A2 R2
  4-8 app-2 refresh R1: invalid_grant
  10-12 app refresh R2: invalid_grant
  13-15 app refresh R2: ok A3 R3

replay-contained is declared, same-pair: within the window a token two generations old ends nothing, as requests overtake each other
  start
  4-5 app refresh R1: ok A2 R2
  6-7 app refresh R2: ok A3 R3
  8-9 thief refresh R1: invalid_grant
  10-11 app refresh R3: ok A4 R4

refresh-twice is declared, late-repeat: a client that was away gets its unused pair after the window
  start
  4-9 app refresh R1: ok A2 R2 forgotten
  40000-40001 app refresh R1: ok A2 R2
  40002-40003 app refresh R2: ok A3 R3

refresh-twice is unsafe, late-repeat: a pair is repeated after the window though its refresh token was used
  start
  4-9 app refresh R1: ok A2 R2
  10-12 app refresh R2: ok A3 R3
  40000-40001 thief refresh R1: ok A2 R2

refresh-twice is unsafe, late-repeat: a spent token mints another pair after the window
  start
  4-9 app refresh R1: ok A2 R2
  40000-40001 thief refresh R1: ok A3 R3

refresh-twice is unsafe, late-repeat: a pair is repeated longer than declared
  start
  4-9 app refresh R1: ok A2 R2
  70000-70001 thief refresh R1: ok A2 R2

replay-contained is unsafe, late-repeat: the grant lives on after a late replay that was refused
  start
  4-5 app refresh R1: ok A2 R2
  40000-40001 thief refresh R1: invalid_grant
  40002-40003 app refresh R2: ok A3 R3

replay-contained is declared, replaced: after the window a token of an earlier rotation ends nothing, as declared
  start
  4-5 app refresh R1: ok A2 R2
  6-7 app refresh R2: ok A3 R3
  15000-15001 app-2 refresh R1: invalid_grant
  15002-15003 app refresh R3: ok A4 R4

replay-contained is unsafe, replaced: a token of an earlier rotation ends nothing after the declared time
  start
  4-5 app refresh R1: ok A2 R2
  6-7 app refresh R2: ok A3 R3
  25000-25001 thief refresh R1: invalid_grant
  25002-25003 app refresh R3: ok A4 R4

replay-contained is unsafe, replaced: the token of the last rotation ends nothing after the window
  start
  4-5 app refresh R1: ok A2 R2
  15000-15001 thief refresh R1: invalid_grant
  15002-15003 app refresh R2: ok A3 R3

replay-contained is declared, replaced: a request that a rotation overtook ends nothing, however old its token is
  start
  4-5 app refresh R1: ok A2 R2
  50000-50001 app refresh R2: ok A3 R3
  90000-90020 app-2 refresh R1: invalid_grant
  90001-90010 app refresh R3: ok A4 R4
  95000-95001 app refresh R4: ok A5 R5

replay-contained is unsafe, same-pair: without a declaration an overtaken replay after the window ends the grant
  start
  4-5 app refresh R1: ok A2 R2
  50000-50001 app refresh R2: ok A3 R3
  90000-90020 app-2 refresh R1: invalid_grant
  90001-90010 app refresh R3: ok A4 R4
  95000-95001 app refresh R4: ok A5 R5

crash is unsafe, strict: a restart forgets a rotation
  start
  4-9 app refresh R1: ok A2 R2
  900-901 app refresh R1: ok A3 R3

crash is lossy, strict: a restart forgets a token
  start
  4-9 app refresh R1: ok A2 R2
  900-901 app refresh R2: invalid_grant

crash is passed, strict: a request without an answer explains a spent token
  start
  4-9 app refresh R1: lost
  900-901 app refresh R1: invalid_grant

lost-answer is passed, strict: a retry gets tokens, since the first request never arrived
  start
  4-9 app refresh R1: lost
  10-12 app refresh R1: ok A2 R2

lost-answer is declared, strict: a strict server refuses the retry
  start
  4-9 app refresh R1: ok A2 R2 forgotten
  10-12 app refresh R1: invalid_grant

lost-answer is lossy, same-pair: the retry is refused though the same pair is declared
  start
  4-9 app refresh R1: ok A2 R2 forgotten
  10-12 app refresh R1: invalid_grant

lost-answer is lossy, same-pair: the retry after a torn answer is refused
  start
  4-9 app refresh R1: lost
  10-12 app refresh R1: invalid_grant

lost-answer is passed, same-pair: another process used the successor in the meantime
  start
  4-9 app refresh R1: ok A2 R2 forgotten
  5-9 app-2 refresh R2: ok A3 R3
  10-12 app refresh R1: invalid_grant

lost-answer is passed, same-pair: a request without an answer arrives when it is two generations old
  start
  4-9 app refresh R1: lost
  10-12 app refresh R1: ok A2 R2
  13-15 app refresh R2: ok A3 R3
  20-22 app refresh R3: invalid_grant

lost-answer is lossy, strict: two answers contradict each other with an open request between them
  start
  4-9 app refresh R1: lost
  20-30 app refresh R1: invalid_grant
  40-50 app refresh R1: ok A2 R2
`)

describe('judge', () => {
  it.each(CASES)('$title', ({ check, verdict, declared, history }) => {
    expect(judge(check, history, declared)).toMatchObject({ id: check, verdict })
  })
})
