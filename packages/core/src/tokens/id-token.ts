import { hash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import type { SigningAlgorithm } from '../store.ts'
import type { PrivateJwk, SigningKeys } from './signing-keys.ts'

/** The claims of an ID token that are not its frame (OpenID Connect Core 2). */
export interface IdTokenContent {
  readonly issuer: string
  readonly subject: string
  readonly clientId: string
  readonly authTime: number
  readonly nonce?: string | undefined
  /** The access token issued beside it, for `at_hash`. */
  readonly accessToken: string
  /** Epoch seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
}

export async function signIdToken(key: PrivateJwk, content: IdTokenContent): Promise<string> {
  const claims = {
    auth_time: content.authTime,
    at_hash: accessTokenHash(content.accessToken, key.alg),
    azp: content.clientId,
    ...(content.nonce === undefined ? {} : { nonce: content.nonce }),
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

/**
 * The subject an `id_token_hint` speaks of, or `undefined` when this server did not sign it. An expired one still
 * says who was meant (OpenID Connect Core 3.1.2.1).
 */
export async function subjectOfHint(
  keys: SigningKeys,
  issuer: string,
  hint: string,
): Promise<string | undefined> {
  const keySet = createLocalJWKSet({ keys: [...keys.published().keys] })
  try {
    const { payload } = await jwtVerify(hint, keySet, {
      issuer,
      currentDate: new Date(0),
      algorithms: [...keys.algorithms],
    })
    return payload.sub
  } catch {
    return undefined
  }
}

/** Half of the token's hash, by the hash of the signature's algorithm (OpenID Connect Core 3.1.3.6). */
function accessTokenHash(accessToken: string, alg: SigningAlgorithm): string {
  const digest = hash(alg === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer')
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
