import { BACKCHANNEL_VERDICTS } from './verdicts/backchannel.ts'
import { CALL_VERDICTS, DPOP_VERDICTS, SERVER_VERDICTS, SIGN_OUT_VERDICTS } from './verdicts/calls.ts'
import {
  ASSERTION_VERDICTS,
  CLIENT_AUTHENTICATION_VERDICTS,
  CLIENT_VERDICTS,
  JWT_GRANT_VERDICTS,
} from './verdicts/clients.ts'
import { FINDING_VERDICTS } from './verdicts/findings.ts'
import {
  DECISION_VERDICTS,
  MESSAGE_VERDICTS,
  PUSHED_VERDICTS,
  REQUEST_VERDICTS,
  SCOPE_VERDICTS,
} from './verdicts/requests.ts'
import { SIGNED_REQUEST_VERDICTS } from './verdicts/signed-requests.ts'
import {
  CODE_VERDICTS,
  DEVICE_VERDICTS,
  GRANT_TYPE_VERDICTS,
  REFRESH_TOKEN_VERDICTS,
  TOKEN_EXCHANGE_VERDICTS,
} from './verdicts/tokens.ts'
import type { VerdictText } from './verdicts/verdict-text.ts'

/** Findings without an error: a step that is overdue, or one that was repeated. */
export type FindingName = keyof typeof FINDING_VERDICTS

const TEXTS = {
  ...FINDING_VERDICTS,
  ...MESSAGE_VERDICTS,
  ...CLIENT_VERDICTS,
  ...CLIENT_AUTHENTICATION_VERDICTS,
  ...ASSERTION_VERDICTS,
  ...GRANT_TYPE_VERDICTS,
  ...REQUEST_VERDICTS,
  ...PUSHED_VERDICTS,
  ...SIGNED_REQUEST_VERDICTS,
  ...DECISION_VERDICTS,
  ...CODE_VERDICTS,
  ...REFRESH_TOKEN_VERDICTS,
  ...SCOPE_VERDICTS,
  ...TOKEN_EXCHANGE_VERDICTS,
  ...JWT_GRANT_VERDICTS,
  ...CALL_VERDICTS,
  ...DPOP_VERDICTS,
  ...DEVICE_VERDICTS,
  ...BACKCHANNEL_VERDICTS,
  ...SIGN_OUT_VERDICTS,
  ...SERVER_VERDICTS,
}

/** The reason of an error, or the name of a finding. */
export type VerdictId = keyof typeof TEXTS

/**
 * What to say about each reason of `ERRORS`, and about each finding: the cause, the fix, and words for the developer of the app.
 *
 * @example
 * ```ts
 * import { VERDICTS } from '@grantkit/explain'
 *
 * const { by, fix } = VERDICTS.code_not_redeemed
 * // by: 'app'
 * ```
 */
export const VERDICTS: Readonly<Record<VerdictId, VerdictText>> = TEXTS
