import * as z from 'zod'
import { mayRedeemAt, withRemainingScopes } from '../clients/client-record.ts'
import { ResourceParameter, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError, ownedBy, withCode } from '../kernel/oauth-error.ts'
import type { AuthorizationCode, Client, Grant } from '../kernel/records.ts'
import { narrowedResources } from '../kernel/resource-indicator.ts'
import { newId, newSecret, type Secret, sameSecret, sha256 } from '../kernel/secrets.ts'
import { parseCode } from '../tokens/credential.ts'
import { planOf } from './change-grant.ts'
import { type FreshSecrets, firstTokens, type IssuedTokens, type Outcome } from './grant.ts'
import type { ArrivedRequest, GrantTerms } from './grant-terms.ts'
import type { GrantType } from './grant-type.ts'
import type { WithTerms } from './request-terms.ts'

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

/** RFC 6749 4.1.3, RFC 7636 4.5, RFC 8707 2.2. */
const AuthorizationCodeRequest = z.object({
  code: text(),
  redirect_uri: text().optional(),
  code_verifier: CodeVerifier.optional(),
  resource: ResourceParameter,
})

export const CODE_ERRORS = defineErrors(
  withCode('invalid_grant', {
    code_unknown: 'The authorization code is not valid. Begin again',
    code_expired: 'The authorization code has expired. Begin again, and redeem the code at once',
    code_of_other_client: 'The authorization code is not valid. Begin again',
    code_redirect_uri_mismatch: 'redirect_uri differs from the authorization request. Send the same one',
    code_redirect_uri_missing: 'redirect_uri is missing. Send the one of the authorization request',
    code_redirect_uri_removed:
      'The redirect_uri of the code was removed from the client, so the code is revoked. Begin again',
    code_verifier_missing: 'code_verifier is missing. Send the one that code_challenge was made from',
    code_of_other_key: 'The code is bound to the key of dpop_jkt. Send a DPoP proof of this key',
    code_verifier_mismatch:
      'code_verifier does not match code_challenge, so the code is revoked. Begin again',
    code_replayed: 'The authorization code was used before, so its tokens are revoked. Begin again',
  }),
)

/** A client exchanged its authorization code for the first tokens of a grant. */
export interface CodeRedeemed {
  readonly type: 'code_redeemed'
  readonly grantId: string
  readonly clientId: string
}

/** Exchanges an authorization code for the first tokens of its grant. */
export function authorizationCode(
  kernel: Kernel & WithTerms,
  terms: GrantTerms,
): { grantTypes: GrantType[] } {
  const grantType: GrantType = {
    name: 'authorization_code',
    message: AuthorizationCodeRequest,
    credential: 'code',
    selfRegistered: true,
    exchange(request) {
      const { client, form, arrivedAt, now, stored, jkt } = request
      const sent = readMessage(AuthorizationCodeRequest, form)
      const code = parseCode(sent.code)
      if (code === undefined || stored === undefined) throw new OAuthError(CODE_ERRORS.code_unknown)
      const { random, resources: knownResources } = kernel
      const redemption = {
        code: code.secret,
        client,
        arrivedAt,
        redirectUri: sent.redirect_uri,
        verifier: sent.code_verifier,
        resources: sent.resource,
        knownResources,
        jkt,
        fresh: { accessToken: newSecret(random), family: newId(random), refreshToken: newSecret(random) },
      }
      const ids = { grantId: code.grantId, clientId: client.clientId }
      const event = { type: 'code_redeemed', ...ids } satisfies CodeRedeemed
      return planOf(kernel, stored, redeemCode(stored.value, redemption, now, terms), request, [event])
    },
  }
  return { grantTypes: [grantType] }
}

export interface CodeRedemption extends ArrivedRequest {
  readonly code: Secret
  readonly client: Client
  readonly redirectUri: string | undefined
  readonly verifier: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  readonly jkt?: string | undefined
  /** Fresh randomness for the tokens, used only if they are issued. */
  readonly fresh: FreshSecrets
}

/**
 * Exchanges the code (RFC 6749 4.1.3). A request of another client changes nothing. A mistake of the right client
 * consumes nothing, as long as it does not risk the code. A wrong verifier means that the code was stolen, so it ends
 * the grant.
 *
 * @throws OAuthError when nothing is consumed
 */
export function redeemCode(
  grant: Grant,
  request: CodeRedemption,
  now: number,
  terms: GrantTerms,
): Outcome<IssuedTokens> {
  const { code } = grant
  if (code === undefined || !sameSecret(sha256(request.code), code.hash))
    throw new OAuthError(CODE_ERRORS.code_unknown)
  if (request.client.clientId !== grant.clientId)
    throw new OAuthError(CODE_ERRORS.code_of_other_client, undefined, ownedBy(grant))
  if (code.redeemedAt !== undefined) return replayed(code.redeemedAt, request, now)
  if (now >= code.expiresAt) throw new OAuthError(CODE_ERRORS.code_expired)
  if (!mayRedeemAt(request.client, grant.redirectUri))
    return { kind: 'ended', refusal: CODE_ERRORS.code_redirect_uri_removed }
  requireRedirectUri(request, grant, code)
  if (code.challenge !== undefined && request.verifier === undefined)
    throw new OAuthError(CODE_ERRORS.code_verifier_missing)
  if (code.jkt !== undefined && code.jkt !== request.jkt) throw new OAuthError(CODE_ERRORS.code_of_other_key)
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if (!verifierMatches(request.verifier, code.challenge))
    return { kind: 'ended', refusal: CODE_ERRORS.code_verifier_mismatch }
  const { client, fresh, jkt } = request
  const remaining = withRemainingScopes(grant, client)
  const { tokens, issued } = firstTokens(remaining, { client, fresh, resources, jkt }, now, terms)
  return {
    kind: 'changed',
    // The nonce was for this exchange.
    grant: { ...remaining, ...tokens, code: spent(code, now), nonce: undefined },
    result: { ...issued, nonce: grant.nonce },
  }
}

/** In seconds. A request that waited for less was not held up by a standstill of the process. */
const HELD_UP = 5

/**
 * The second use of a code ends its grant (RFC 6749 4.1.2). A request that a standstill held up since before the first one is no
 * second use: its client gave it up and sent it again.
 *
 * @throws OAuthError for such a request
 */
function replayed(redeemedAt: number, { arrivedAt }: ArrivedRequest, now: number): Outcome<never> {
  if (now - arrivedAt >= HELD_UP && arrivedAt <= redeemedAt) throw new OAuthError(CODE_ERRORS.code_unknown)
  return { kind: 'ended', refusal: CODE_ERRORS.code_replayed }
}

/** RFC 6749 4.1.3. With PKCE it adds nothing (OAuth 2.1 4.1.3), so it may be absent where the client has no other. */
function requireRedirectUri(
  { redirectUri, client }: CodeRedemption,
  grant: Grant,
  code: AuthorizationCode,
): void {
  if (redirectUri === grant.redirectUri) return
  if (redirectUri !== undefined)
    throw new OAuthError(CODE_ERRORS.code_redirect_uri_mismatch, undefined, {
      facts: { expected: [grant.redirectUri ?? ''] },
    })
  const [only, ...others] = client.redirectUris
  if (only !== grant.redirectUri || others.length > 0 || code.challenge === undefined)
    throw new OAuthError(CODE_ERRORS.code_redirect_uri_missing)
}

function spent({ hash, expiresAt }: AuthorizationCode, now: number): AuthorizationCode {
  return { hash, expiresAt, redeemedAt: now }
}
