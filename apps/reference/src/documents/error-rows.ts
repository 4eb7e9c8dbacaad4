import { PROOF_ERRORS } from './dpop-section.ts'

const ERRORS = [
  ['invalid_request', 400, 'A parameter is missing, repeated or malformed; the description names it'],
  ['invalid_client', 401, 'The client is unknown, or its secret is wrong'],
  ['invalid_grant', 400, 'The code or refresh token is wrong, expired or used'],
  ['unauthorized_client', 400, 'The client is not registered for this grant type'],
  ['unsupported_grant_type', 400, 'There is no such grant type here'],
  ['invalid_scope', 400, 'A scope does not exist, or was not granted'],
  ['invalid_target', 400, 'The resource is not one of this server, or was not granted'],
  ['invalid_redirect_uri', 400, 'At registration: not a loopback address, or not one of step 2'],
  ['invalid_client_metadata', 400, 'At registration: the description names the member'],
  ['access_denied', 403, 'The user did not allow it; or an anonymous write'],
  ['invalid_token', 401, 'The access token is malformed, expired, revoked or for another resource'],
  ['insufficient_scope', 403, 'The access token lacks a scope; the challenge names it'],
  [
    'temporarily_unavailable',
    503,
    'Send the same request again after the seconds of Retry-After. It may have taken effect: a refresh token is good once more, as after any lost answer; if a code is refused, ask the user again',
  ],
  [
    'temporarily_unavailable',
    429,
    'Too many registrations from one address, or too many failed requests of one client from there. Try again after the seconds of Retry-After',
  ],
] as const

/**
 * The rows of the error table.
 *
 * @param proofs the algorithms of proofs; absent without DPoP
 */
export function errorRows(proofs: readonly string[] | undefined): string {
  const errors = proofs === undefined ? ERRORS : [...ERRORS, ...PROOF_ERRORS]
  return errors.map(([error, status, meaning]) => `| \`${error}\` | ${status} | ${meaning} |`).join('\n')
}
