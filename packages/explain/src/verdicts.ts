import type { Reason } from '@grantkit/core/errors'
import { REQUEST_VERDICTS } from './verdicts/authorization-requests.ts'
import { CALL_VERDICTS } from './verdicts/calls.ts'
import { ASSERTION_VERDICTS } from './verdicts/client-assertions.ts'
import { CLIENT_AUTHENTICATION_VERDICTS } from './verdicts/client-authentication.ts'
import { CLIENT_VERDICTS } from './verdicts/clients.ts'
import { CODE_VERDICTS } from './verdicts/codes.ts'
import { DECISION_VERDICTS } from './verdicts/decisions.ts'
import { DEVICE_VERDICTS } from './verdicts/devices.ts'
import { DPOP_VERDICTS } from './verdicts/dpop-proofs.ts'
import { FINDING_VERDICTS } from './verdicts/findings.ts'
import { GRANT_TYPE_VERDICTS } from './verdicts/grant-types.ts'
import { JWT_GRANT_VERDICTS } from './verdicts/jwt-grants.ts'
import { MESSAGE_VERDICTS } from './verdicts/messages.ts'
import { PUSHED_VERDICTS } from './verdicts/pushed-requests.ts'
import { REFRESH_TOKEN_VERDICTS } from './verdicts/refresh-tokens.ts'
import { SCOPE_VERDICTS } from './verdicts/scopes.ts'
import { SERVER_VERDICTS } from './verdicts/server-faults.ts'
import { SIGN_OUT_VERDICTS } from './verdicts/sign-out.ts'
import { TOKEN_EXCHANGE_VERDICTS } from './verdicts/token-exchange.ts'
import type { VerdictText } from './verdicts/verdict-text.ts'

/** Findings without an error: a step that is overdue, or one that was repeated. */
export type FindingName = keyof typeof FINDING_VERDICTS

/** The reason of an error, or the name of a finding. */
export type VerdictId = Reason | FindingName

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
export const VERDICTS: Readonly<Record<VerdictId, VerdictText>> = {
  ...FINDING_VERDICTS,
  ...MESSAGE_VERDICTS,
  ...CLIENT_VERDICTS,
  ...CLIENT_AUTHENTICATION_VERDICTS,
  ...ASSERTION_VERDICTS,
  ...GRANT_TYPE_VERDICTS,
  ...REQUEST_VERDICTS,
  ...PUSHED_VERDICTS,
  ...DECISION_VERDICTS,
  ...CODE_VERDICTS,
  ...REFRESH_TOKEN_VERDICTS,
  ...SCOPE_VERDICTS,
  ...TOKEN_EXCHANGE_VERDICTS,
  ...JWT_GRANT_VERDICTS,
  ...CALL_VERDICTS,
  ...DPOP_VERDICTS,
  ...DEVICE_VERDICTS,
  ...SIGN_OUT_VERDICTS,
  ...SERVER_VERDICTS,
}
