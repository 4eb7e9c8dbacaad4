import { hash } from 'node:crypto'
import type { MakeMembers, TokenMembers } from '../grants/grant-type.ts'
import type { SignInClassifier, SignInFacts } from '../grants/introspection.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, SigningAlgorithm } from '../kernel/records.ts'
import { asksForOpenId } from '../kernel/scope.ts'
import type { UserClaims } from '../kernel/user-claims.ts'
import { jose, type PrivateJwk } from '../tokens/jwk.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { IdTokenClaims } from './claims.ts'

export const ID_TOKEN_ERRORS = defineErrors({
  signing_key_unavailable: [
    'temporarily_unavailable',
    'The server cannot sign tokens at the moment. Try again',
  ],
  id_token_hint_unverified: [
    'login_required',
    'The server cannot verify id_token_hint. Send its latest ID token, or leave it out',
  ],
})

interface IdTokenOptions {
  /** The choice of the operator or of a profile, if there is one. */
  readonly alg: SigningAlgorithm | undefined
  /** Seconds. */
  readonly lifetime: number
  readonly userClaims: IdTokenClaims
}

/** The ID token in the answer of the token endpoint (OpenID Connect Core 3.1.3.3). */
export function idTokenMembers(
  kernel: Kernel & SignInClassifier,
  keys: SigningKeys,
  { alg, lifetime, userClaims }: IdTokenOptions,
): TokenMembers {
  return {
    prepare(request, { grant, issued }) {
      const { client, now } = request
      const { subject } = grant
      // An ID token is about a user, and this grant may have none.
      if (subject === undefined || !asksForOpenId(issued.scopes)) return undefined
      const key = requiredSigner(keys, client, alg, now)
      const content = {
        issuer: kernel.issuer,
        subject,
        clientId: client.clientId,
        authTime: grant.authTime,
        signIn: kernel.authenticationClasses.shown(grant),
        nonce: issued.nonce,
        sid: grant.sid,
        issuedAt: now,
        expiresAt: now + lifetime,
      }
      const signedWith =
        (user: UserClaims | undefined): MakeMembers =>
        async ({ access_token }, claims) => ({
          id_token: await signIdToken(key, content, access_token, { ...user, ...claims }),
        })
      const user = userClaims(request, issued.scopes, subject)
      return user === undefined ? signedWith(undefined) : user.then(signedWith)
    },
  }
}

/**
 * A client from before a profile may have an algorithm that the profile forbids. Without such a choice a missing key is a
 * fault that passes, and the client keeps its code.
 */
function requiredSigner(
  keys: SigningKeys,
  client: Client,
  chosen: SigningAlgorithm | undefined,
  now: number,
): PrivateJwk {
  const key = keys.signer(client.idTokenSignedResponseAlg, now) ?? (chosen && keys.signer(chosen, now))
  if (key === undefined) throw new OAuthError(ID_TOKEN_ERRORS.signing_key_unavailable)
  return key
}

/** The content of an ID token (OpenID Connect Core 2). */
interface IdTokenContent {
  readonly issuer: string
  readonly subject: string
  readonly clientId: string
  readonly authTime: number | undefined
  readonly signIn: SignInFacts
  readonly nonce?: string | undefined
  /** The session, for a client that hears of its end. */
  readonly sid?: string | undefined
  /** Epoch seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/**
 * @param accessToken issued with it, for `at_hash`
 * @param user claims of the user and of the operator
 */
async function signIdToken(
  key: PrivateJwk,
  content: IdTokenContent,
  accessToken: string,
  user: UserClaims,
): Promise<string> {
  const { SignJWT } = await jose()
  const { acr, amr } = content.signIn
  const claims = {
    ...user,
    auth_time: content.authTime,
    at_hash: accessTokenHash(accessToken, key.alg),
    azp: content.clientId,
    nonce: content.nonce,
    ...(acr && { acr }),
    ...(amr && { amr }),
    ...(content.sid && { sid: content.sid }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
    .setIssuer(content.issuer)
    .setSubject(content.subject)
    .setAudience(content.clientId)
    .setIssuedAt(content.issuedAt)
    .setExpirationTime(content.expiresAt)
    .sign(key)
}

/** The left half of the token's hash, with the hash function of the signing algorithm (OpenID Connect Core 3.1.3.6). */
function accessTokenHash(accessToken: string, alg: SigningAlgorithm): string {
  const digest = hash(alg === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer')
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

/** The sign-in that an ID token describes. */
export interface IdTokenHint {
  readonly subject: string
  /** The client that it was issued to. */
  readonly audience: string
  /** Epoch seconds. */
  readonly authTime?: number | undefined
}

/**
 * An `id_token_hint` (OpenID Connect Core 3.1.2.1). An expired one, or one of a retired key, still names the user.
 *
 * @param error for a hint that cannot be verified. Default `login_required`, as the authorization endpoint answers: the
 *   client requested a certain user, and this could be another one
 * @throws OAuthError
 */
export async function verifiedHint(
  keys: SigningKeys,
  issuer: string,
  hint: string,
  error: ErrorDefinition = ID_TOKEN_ERRORS.id_token_hint_unverified,
): Promise<IdTokenHint> {
  const { createLocalJWKSet, jwtVerify } = await jose()
  const { algorithms } = keys
  try {
    const keySet = createLocalJWKSet({ keys: [...keys.all().keys] })
    const options = { issuer, currentDate: new Date(0), algorithms: [...algorithms], requiredClaims: ['sub'] }
    const { payload, protectedHeader } = await jwtVerify<{ sub: string; aud: string; auth_time?: number }>(
      hint,
      keySet,
      options,
    )
    // A JWT access token has another type (RFC 9068 2.1).
    if (protectedHeader.typ !== undefined && protectedHeader.typ !== 'JWT') throw new Error('Not an ID token')
    return { subject: payload.sub, audience: payload.aud, authTime: payload.auth_time }
  } catch (cause) {
    throw new OAuthError(error, undefined, { cause })
  }
}
