import { hash } from 'node:crypto'
import * as z from 'zod'
import type { ClientMetadataMembers, RegisteredBy } from '../clients/client-metadata.ts'
import type { MakeMembers, TokenMembers, TokenRequest } from '../grants/grant-type.ts'
import type { SignInClassifier, SignInFacts } from '../grants/introspection.ts'
import { type Claims, claimsAbout, type Kernel, SUBJECT_ERRORS, type UserClaims } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, SigningAlgorithm } from '../kernel/records.ts'
import { asksForOpenId } from '../kernel/scope.ts'
import { jose, type PrivateJwk } from '../tokens/jwk.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { ReleaseClaims } from './claims.ts'

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
      const made = userClaims(request, issued.scopes, subject)
      const signing =
        (user?: UserClaims): MakeMembers =>
        ({ access_token }, claims) =>
          signedIdToken(key, content, access_token, { ...user, ...claims })
      return made === undefined ? signing() : made.then(signing)
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

// The claims of the user in the ID token, not in UserInfo alone.

export interface IdTokenClaimsOptions {
  /**
   * Puts the claims that the granted scopes open into the ID token of every client, not in UserInfo alone (OpenID Connect Core
   * 5.4). Default: only for static clients with `idTokenClaims`.
   */
  readonly idTokenClaims?: boolean | undefined
}

const MEMBER = 'id_token_claims'

/** Only the operator sets it. The software of a self-registered client is unknown. */
export function idTokenClaimsMetadata(registeredBy: RegisteredBy): ClientMetadataMembers {
  return registeredBy === 'client' ? {} : { [MEMBER]: z.boolean().optional() }
}

/**
 * The claims of the user for the ID token of this client, before the code is redeemed: an outage of the user directory costs no code.
 *
 * @returns `undefined` for a client that gets none
 * @throws OAuthError `temporarily_unavailable`, or `invalid_grant` for the code of a user who is gone
 */
type IdTokenClaims = (
  request: TokenRequest,
  scopes: readonly string[],
  subject: string,
) => Promise<UserClaims> | undefined

export function idTokenClaims(
  claims: Claims,
  release: ReleaseClaims,
  { idTokenClaims: always = false }: IdTokenClaimsOptions,
): IdTokenClaims {
  async function released(
    { stored }: TokenRequest,
    scopes: readonly string[],
    subject: string,
  ): Promise<UserClaims> {
    const user = await claimsAbout(claims, subject)
    const code = stored?.value.code
    // A refresh finds that out by itself.
    if (user === undefined && code !== undefined && code.redeemedAt === undefined)
      throw new OAuthError(SUBJECT_ERRORS.subject_gone)
    return release(scopes, user ?? {})
  }

  return (request, scopes, subject) =>
    always || request.client.featureMetadata?.[MEMBER] === true
      ? released(request, scopes, subject)
      : undefined
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
async function signedIdToken(
  key: PrivateJwk,
  content: IdTokenContent,
  accessToken: string,
  user: UserClaims,
): Promise<{ readonly id_token: string }> {
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
  const signed = new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
    .setIssuer(content.issuer)
    .setSubject(content.subject)
    .setAudience(content.clientId)
    .setIssuedAt(content.issuedAt)
    .setExpirationTime(content.expiresAt)
  return { id_token: await signed.sign(key) }
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
