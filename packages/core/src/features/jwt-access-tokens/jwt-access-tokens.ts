/**
 * JWT access tokens (RFC 9068), for resources whose guards cannot reach the store. They can verify it
 * with only the public keys. The grant stores its hash, so it is revoked like any other token; a guard
 * without the store may accept it until it expires.
 */
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import type { Feature } from '../../feature.ts'
import { wholeSeconds } from '../../kernel/kernel.ts'
import type { SigningAlgorithm } from '../../kernel/records.ts'
import { checkedResource, isMember } from '../../kernel/resource-indicator.ts'
import { MAX_SIGNED_LIFETIME } from '../../kernel/revocation-log.ts'
import { type GrantId, sha256 } from '../../kernel/secrets.ts'
import { type AccessTokenFormat, opaqueAccessTokens, type PresentedToken } from '../../tokens/credential.ts'
import type { PrivateJwk } from '../../tokens/jwk.ts'
import { requireWrongSignature } from '../../tokens/jws-signature.ts'
import type { SigningKeys } from '../../tokens/signing-keys.ts'
import {
  ACCESS_TOKEN_TYPE,
  AccessTokenClaims,
  claimsOf,
  payloadOf,
  presentedIn,
  requiredClaims,
  verifiedOnce,
} from './verified-tokens.ts'

export { type RevocationFeedOptions, revocationFeed } from './revocation-feed.ts'

/** How the tokens of one resource are signed. */
export interface SignedResource {
  /** Seconds, 600 at most. Default 300. */
  readonly lifetime?: number | undefined
  /** Default: ES256 if there is a key for it, else RS256. */
  readonly alg?: SigningAlgorithm | undefined
}

export interface JwtAccessTokenOptions {
  /**
   * The resources of the server (RFC 8707) whose tokens are signed. A token for several resources, or for none, stays opaque.
   */
  readonly resources: Readonly<Record<string, SignedResource>>
}

/**
 * Issues JWT access tokens (RFC 9068), signed with the keys of the server.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
 *
 * const features = [jwtAccessTokens({ resources: { [issuer]: { lifetime: 300 } } })]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, scopes, secret, interaction, keys, claims, features },
 * })
 * ```
 */
export function jwtAccessTokens(options: JwtAccessTokenOptions): Feature {
  return (server) => {
    const { issuer, keys, now } = server
    const resources = signedResources(options.resources, keys.algorithms)
    const unknown = [...resources.keys()].find((name) => !server.resources.includes(name))
    if (unknown !== undefined) throw new Error(`jwtAccessTokens: ${unknown} is not a resource of the server`)
    // A JWT has one `aud` (RFC 9068 3).
    const signedFor = ([name = '', ...others]: readonly string[]) => {
      const own = others.length === 0 ? (resources.get(name) ?? ofFamily(resources, name)) : undefined
      return own && { ...own, name }
    }
    const read = tokenReader(issuer, keys, now)
    const accessTokens: AccessTokenFormat = {
      write(token, grant, claims, at) {
        const hash = sha256(token.secret)
        // A token that was revoked before its answer is repeated is no longer in the grant.
        const state = grant.accessTokens.find((issued) => issued.hash === hash && issued.signed)
        const signed = state && signedFor(state.resources)
        if (state === undefined || signed === undefined) return opaqueAccessTokens.write(token)
        // RFC 9470 6.1. Another feature may classify sign-ins: it is known once all features are created.
        const { acr } = server.authenticationClasses.shown(grant)
        // No claim of the operator replaces one of the protocol.
        const all = { ...claims, ...claimsOf(issuer, signed.name, grant, state), acr }
        // There is one at creation, and changed keys without it are not used.
        const key = keys.signer(signed.alg, at) as PrivateJwk
        const header = { typ: ACCESS_TOKEN_TYPE, alg: signed.alg, kid: key.kid }
        return new SignJWT(all).setProtectedHeader(header).sign(key)
      },
      read: (text) => opaqueAccessTokens.read(text) ?? read(text),
      grantIdOf: (text) => opaqueAccessTokens.grantIdOf(text) ?? claimedGrant(text),
      longest: (bound) => signedFor(bound)?.lifetime,
    }
    return { accessTokens }
  }
}

/** What is set for the family that has this member. */
function ofFamily<Signed>(resources: ReadonlyMap<string, Signed>, name: string): Signed | undefined {
  for (const [resource, signed] of resources) if (isMember(resource, name)) return signed
  return undefined
}

/** The resources whose tokens are signed, by canonical name. @throws Error that names the resource at fault */
function signedResources(
  configured: Readonly<Record<string, SignedResource>>,
  algorithms: readonly SigningAlgorithm[],
) {
  const best = algorithms.includes('ES256') ? 'ES256' : 'RS256'
  return new Map(
    Object.entries(configured).map(([resource, { lifetime = 300, alg = best }]) => {
      const option = `jwtAccessTokens: resources['${resource}']`
      const name = checkedResource(option, resource)
      wholeSeconds(`${option}.lifetime`, lifetime, 1, MAX_SIGNED_LIFETIME)
      if (!algorithms.includes(alg)) throw new Error(`${option} needs a key for ${alg}`)
      return [name, { name, lifetime, alg }] as const
    }),
  )
}

// Reading of signed tokens where the grant is known: at the authorization server and in a guard with the store.

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Reads tokens that this server signed, also with a key that has retired since. Whether a token is live, and for which
 * resource, is in its grant.
 *
 * @param now epoch seconds
 */
function tokenReader(issuer: string, keys: SigningKeys, now: () => number) {
  const keySet = latestKeySet(keys)
  const claimsIn = (payload: unknown) => AccessTokenClaims.safeParse(payload).data
  const verified = verifiedOnce({ keyFor: (header) => keySet()(header), verify, claimsIn, now })
  return (text: string) => (JWT.test(text) ? presented(text) : undefined)

  async function presented(text: string): Promise<PresentedToken | undefined> {
    try {
      const { jti } = await verified(text)
      return presentedIn(jti)
    } catch (error) {
      await requireWrongSignature(error, text)
      return undefined
    }
  }

  /** `typ` distinguishes it from an ID token that the same key signed (RFC 9068 5). */
  async function verify(text: string) {
    const algorithms = [...keys.algorithms]
    const options = { issuer, typ: ACCESS_TOKEN_TYPE, algorithms, currentDate: new Date(0) }
    const { payload, ...result } = await jwtVerify(text, keySet(), options)
    return { ...result, claims: requiredClaims(claimsIn(payload)) }
  }
}

/** The parsed keys, until the set changes. */
function latestKeySet(keys: SigningKeys) {
  let shown = keys.all()
  let parsed = createLocalJWKSet({ keys: [...shown.keys] })
  return () => {
    if (shown !== keys.all()) {
      shown = keys.all()
      parsed = createLocalJWKSet({ keys: [...shown.keys] })
    }
    return parsed
  }
}

/** The grant that a token names. Its signature is not verified. */
function claimedGrant(text: string): GrantId | undefined {
  if (!JWT.test(text)) return undefined
  const jti = AccessTokenClaims.shape.jti.safeParse(Object(payloadOf(text)).jti).data
  return jti === undefined ? undefined : presentedIn(jti).grantId
}
