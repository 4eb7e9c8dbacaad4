import { hash } from 'node:crypto'
import * as z from 'zod'
import type { ClientMetadataMembers, RegisteredBy } from '../clients/client-metadata.ts'
import type { MakeMembers, TokenMembers, TokenRequest } from '../grants/grant-type.ts'
import type { SignInClassifier } from '../grants/introspection.ts'
import { type Claims, claimsAbout, type Kernel, SUBJECT_ERRORS, type UserClaims } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, SigningAlgorithm } from '../kernel/records.ts'
import { OPENID, type ScopeCatalogue } from '../kernel/scope.ts'
import { jose, type PrivateJwk } from '../tokens/jwk.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

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

/**
 * The ID token in the answer of the token endpoint (OpenID Connect Core 3.1.3.3).
 *
 * @param alg the choice of the operator or of a profile, if there is one
 * @param lifetime in seconds
 */
export function idTokenMembers(
  kernel: Kernel & SignInClassifier,
  keys: SigningKeys,
  { alg, lifetime }: { readonly alg: SigningAlgorithm | undefined; readonly lifetime: number },
  userClaims: ReturnType<typeof idTokenClaims>,
): TokenMembers {
  return {
    prepare(request, { grant, issued }) {
      const { client, now } = request
      const { subject, sid } = grant
      // An ID token is about a user, and this grant may have none.
      if (subject === undefined || !issued.scopes.includes(OPENID)) return undefined
      const key = requiredSigner(keys, client, alg, now)
      const { acr, amr } = kernel.authenticationClasses.shown(grant)
      const protocol = {
        azp: client.clientId,
        nonce: issued.nonce,
        ...(acr && { acr }),
        ...(amr && { amr }),
        // The session, for a client that hears of its end.
        ...(sid && { sid }),
        iss: kernel.issuer,
        sub: subject,
        aud: client.clientId,
        iat: now,
        exp: now + lifetime,
      }
      const made = userClaims(request, issued.scopes, subject)
      const signing =
        (user?: UserClaims): MakeMembers =>
        ({ access_token }, claims) => {
          const at_hash = accessTokenHash(access_token, key.alg)
          return signedIdToken(key, { ...user, ...claims, auth_time: grant.authTime, at_hash, ...protocol })
        }
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
 * The claims of the user for the ID token of a client, before the code is redeemed: an outage of the user directory costs no code.
 *
 * @returns `undefined` for a client that gets none
 * @throws OAuthError `temporarily_unavailable`, or `invalid_grant` for the code of a user who is gone
 */
export function idTokenClaims(
  claims: Claims,
  release: ReleaseClaims,
  { idTokenClaims: always = false }: IdTokenClaimsOptions,
) {
  return ({ client, stored }: TokenRequest, scopes: readonly string[], subject: string) => {
    if (!always && client.featureMetadata?.[MEMBER] !== true) return undefined
    return claimsAbout(claims, subject).then((user) => {
      const code = stored?.value.code
      // A refresh finds that out by itself.
      if (user === undefined && code !== undefined && code.redeemedAt === undefined)
        throw new OAuthError(SUBJECT_ERRORS.subject_gone)
      return release(scopes, user ?? {})
    })
  }
}

/** @param claims of the user, and those of OpenID Connect Core 2 */
async function signedIdToken(key: PrivateJwk, claims: UserClaims): Promise<{ readonly id_token: string }> {
  const { SignJWT } = await jose()
  const signed = new SignJWT(claims)
  signed.setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
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

// The claims of the user, in ID tokens and at UserInfo.

/** Which claims a scope opens (OpenID Connect Core 5.4). */
const CLAIMS_OF_SCOPE = new Map(
  Object.entries({
    profile: [
      ...['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile'],
      ...['picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
    ],
    email: ['email', 'email_verified'],
    address: ['address'],
    phone: ['phone_number', 'phone_number_verified'],
  }),
)

/** Claims in the result of `claims` that no scope of the catalogue opens, so no client ever gets them. Emitted once each, up to 100 names. */
export interface ClaimsUnreleased {
  readonly type: 'claims_unreleased'
  readonly names: readonly string[]
}

/** Names may have a part of a tenant or a user, and then there is no end of them. */
const MAX_UNRELEASED = 100

/** The user's claims that the granted scopes open; empty values are left out. */
export type ReleaseClaims = (scopes: readonly string[], user: UserClaims) => UserClaims

export function releaseClaims({ scopes: catalogue, emit }: Pick<Kernel, 'scopes' | 'emit'>): ReleaseClaims {
  const scopesOf = scopesOfClaims(catalogue)
  const most = scopesOf.size + MAX_UNRELEASED
  return (scopes, user) => {
    const names: string[] = []
    for (const name of Object.keys(user)) {
      if (scopesOf.has(name) || scopesOf.size === most) continue
      scopesOf.set(name, [])
      names.push(name)
    }
    if (names.length > 0) emit({ type: 'claims_unreleased', names } satisfies ClaimsUnreleased)
    const released: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(user)) {
      const isOpen = scopesOf.get(name)?.some((scope) => scopes.includes(scope))
      if (isOpen && value != null && value !== '') released[name] = value
    }
    return released
  }
}

/** The scopes that open each claim. Core itself adds the subject. */
function scopesOfClaims(catalogue: ScopeCatalogue): Map<string, readonly string[]> {
  const scopesOf = new Map<string, readonly string[]>([['sub', []]])
  for (const scope of Object.keys(catalogue))
    for (const claim of claimsOfScopes([scope], catalogue))
      scopesOf.set(claim, [...(scopesOf.get(claim) ?? []), scope])
  return scopesOf
}

export function claimsOfScopes(scopes: readonly string[], catalogue: ScopeCatalogue): readonly string[] {
  return scopes
    .filter((scope) => Object.hasOwn(catalogue, scope))
    .flatMap((scope) => [...(CLAIMS_OF_SCOPE.get(scope) ?? []), ...(catalogue[scope]?.claims ?? [])])
}
