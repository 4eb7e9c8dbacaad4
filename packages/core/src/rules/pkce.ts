import { z } from 'zod'
import type { Reason } from '../oauth-error.ts'
import { sameSecret, sha256 } from '../secrets.ts'

/** code-verifier, RFC 7636 4.1. */
export const CodeVerifier = z
  .string()
  .regex(/^[A-Za-z0-9\-._~]{43,128}$/, 'must be 43 to 128 unreserved characters')

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** What is wrong with the PKCE part of an authorization request: S256 or nothing (RFC 9700 2.1.1). */
export function challengeFault(
  challenge: string | undefined,
  method: string | undefined,
): Reason | undefined {
  if (challenge === undefined) return 'challenge_missing'
  // An absent method would mean plain (RFC 7636 4.3), which is not offered here.
  if (method !== 'S256') return 'challenge_method_unsupported'
  return S256_CHALLENGE.test(challenge) ? undefined : 'challenge_malformed'
}

/** RFC 7636 4.6. */
export function verifierMatches(verifier: string, challenge: string): boolean {
  return sameSecret(sha256(verifier), challenge)
}
