import { afterLogout } from './after-logout.ts'
import { afterReplay } from './after-replay.ts'
import { afterRevoke } from './after-revoke.ts'
import type { Check } from './check.ts'
import { clock } from './clock.ts'
import { codeTwice } from './code-twice.ts'
import { crash } from './crash.ts'
import { deviceTwice } from './device-twice.ts'
import { exchangeOutlives } from './exchange-outlives.ts'
import { expiredCode } from './expired-code.ts'
import { expiredToken } from './expired-token.ts'
import { lostAnswer } from './lost-answer.ts'
import { lostCodeAnswer } from './lost-code-answer.ts'
import { neighbours } from './neighbours.ts'
import { neverMore } from './never-more.ts'
import { otherClient } from './other-client.ts'
import { otherKey } from './other-key.ts'
import { quiet } from './quiet.ts'
import { redeemVsDeny } from './redeem-vs-deny.ts'
import { refreshTwice } from './refresh-twice.ts'
import { refreshVsRevoke } from './refresh-vs-revoke.ts'
import { replayContained } from './replay-contained.ts'
import { replicas } from './replicas.ts'
import { sameSecond } from './same-second.ts'

/** In the order in which they run: what ends the server comes last. */
export const ALL_CHECKS: readonly Check[] = [
  ...[codeTwice, refreshTwice, replayContained, sameSecond, lostAnswer, lostCodeAnswer],
  ...[refreshVsRevoke, redeemVsDeny, afterRevoke, afterLogout, afterReplay, neighbours],
  ...[otherClient, otherKey, neverMore, expiredCode, expiredToken, deviceTwice, exchangeOutlives],
  ...[replicas, clock, crash, quiet],
]
