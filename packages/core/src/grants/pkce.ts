import * as z from 'zod'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { sameSecret, sha256 } from '../kernel/secrets.ts'

export const CHALLENGE_ERRORS = defineErrors({
  challenge_missing: ['invalid_request', 'code_challenge is missing. PKCE with S256 is required'],
  challenge_malformed: [
    'invalid_request',
    'code_challenge must be the SHA-256 hash of code_verifier, 43 base64url characters',
  ],
  challenge_method_unsupported: ['invalid_request', 'code_challenge_method must be S256'],
})

/** code-verifier, RFC 7636 4.1. */
export const CodeVerifier = z
  .string()
  .regex(/^[A-Za-z0-9\-._~]{43,128}$/, 'must be 43 to 128 unreserved characters')

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/

export const CHALLENGE_METHOD = 'S256'

/** The challenge of an authorization request: S256 or nothing (RFC 9700 2.1.1). @throws OAuthError `invalid_request` */
export function requiredChallenge(challenge: string | undefined, method: string | undefined): string {
  if (challenge === undefined) throw new OAuthError(CHALLENGE_ERRORS.challenge_missing)
  // An absent method would mean plain (RFC 7636 4.3), which is not offered here.
  if (method !== CHALLENGE_METHOD) throw new OAuthError(CHALLENGE_ERRORS.challenge_method_unsupported)
  if (!S256_CHALLENGE.test(challenge)) throw new OAuthError(CHALLENGE_ERRORS.challenge_malformed)
  return challenge
}

/** RFC 7636 4.6. A code without a challenge accepts no verifier: an attacker may have removed the challenge (RFC 9700 4.8.2). */
export function verifierMatches(verifier: string | undefined, challenge: string | undefined): boolean {
  if (verifier === undefined || challenge === undefined) return verifier === challenge
  return sameSecret(sha256(verifier), challenge)
}
