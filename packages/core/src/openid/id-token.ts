import { hash } from 'node:crypto'
import type { TokenMembers } from '../grants/grant-type.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client, SigningAlgorithm } from '../kernel/records.ts'
import type { UserClaims } from '../kernel/user-claims.ts'
import { jose, type PrivateJwk } from '../tokens/jwk.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { IdTokenClaims } from './id-token-claims.ts'
import { asksForOpenId } from './openid-scope.ts'

export const ID_TOKEN_ERRORS = defineErrors({
  signing_key_unavailable: ['temporarily_unavailable', 'No signing key is available; try again'],
})

interface IdTokenOptions {
  /** What the operator or a profile chose, if one did. */
  readonly alg: SigningAlgorithm | undefined
  /** Seconds. */
  readonly lifetime: number
  readonly userClaims: IdTokenClaims
}

/** The ID token in the answer of the token endpoint (OpenID Connect Core 3.1.3.3). */
export function idTokenMembers(
  kernel: Kernel,
  keys: SigningKeys,
  { alg, lifetime, userClaims }: IdTokenOptions,
): TokenMembers {
  const signerFor = (client: Client) => requiredSigner(keys, client, alg)
  return {
    ready: userClaims.ready,
    precheck(client, { scopes }) {
      if (asksForOpenId(scopes)) signerFor(client)
    },
    membersOf(client, exchanged, { access_token }) {
      const { subject } = exchanged.grant
      // An ID token is about a user, and this grant may have none.
      if (subject === undefined || !asksForOpenId(exchanged.issued.scopes)) return undefined
      const issuedAt = kernel.now()
      const content = {
        issuer: kernel.issuer,
        subject,
        clientId: client.clientId,
        authTime: exchanged.grant.authTime,
        nonce: exchanged.nonce,
        accessToken: access_token,
        issuedAt,
        expiresAt: issuedAt + lifetime,
      }
      return userClaims
        .of(client, exchanged, subject)
        .then((user) => signIdToken(signerFor(client), { ...content, user }))
        .then((id_token) => ({ id_token }))
    },
  }
}

/**
 * A client from before a profile may have an algorithm that the profile forbids. Without such a choice a missing key is a
 * fault that passes, and the client keeps its code.
 */
function requiredSigner(keys: SigningKeys, client: Client, chosen: SigningAlgorithm | undefined): PrivateJwk {
  const key = keys.signer(client.idTokenSignedResponseAlg) ?? (chosen && keys.signer(chosen))
  if (key === undefined) throw new OAuthError(ID_TOKEN_ERRORS.signing_key_unavailable)
  return key
}

/** The content of an ID token (OpenID Connect Core 2). */
interface IdTokenContent {
  readonly issuer: string
  readonly subject: string
  readonly clientId: string
  readonly authTime: number | undefined
  readonly nonce?: string | undefined
  readonly user: UserClaims
  /** The access token issued beside it, for `at_hash`. */
  readonly accessToken: string
  /** Epoch seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
}

async function signIdToken(key: PrivateJwk, content: IdTokenContent): Promise<string> {
  const { SignJWT } = await jose()
  const claims = {
    ...content.user,
    auth_time: content.authTime,
    at_hash: accessTokenHash(content.accessToken, key.alg),
    azp: content.clientId,
    nonce: content.nonce,
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
