/**
 * What is trusted of an issuer: its keys, and what its assertions give. Keys are from the options, from a `jwks_uri`, or by OpenID
 * Connect Discovery, and are fetched and kept as the keys of clients are.
 */
import * as z from 'zod'
import { type DocumentFetch, fetchedDocument } from '../../http/outbound.ts'
import { isHttpsOrLoopback } from '../../http/public-url.ts'
import { type Kernel, wholeSeconds } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { RecentlyUsed } from '../../kernel/recently-used.ts'
import { canonicalResource } from '../../kernel/resource-indicator.ts'
import { includesAll } from '../../kernel/scope.ts'
import type { VerificationKeys } from '../../tokens/compact-jws.ts'
import { type FetchedKeys, fetchedKeys } from '../../tokens/fetched-keys.ts'
import { acceptedAlgorithms, isFor, type PublicJwk } from '../../tokens/jwk.ts'
import { usableKeys } from '../../tokens/jws-signature.ts'
import { JWT_GRANT_ERRORS } from './assertion.ts'

/** Where the keys of an issuer are, what they may sign with, and what its assertions can give. */
export interface IssuerOptions {
  /** Its keys, for an issuer that this server cannot reach. Default: they are fetched. */
  readonly jwks?: { readonly keys: readonly object[] } | undefined
  /** Where its keys are fetched. Default: as OpenID Connect Discovery of the issuer says. */
  readonly jwksUri?: string | undefined
  /** The signature algorithms to accept: some of ES256, EdDSA, PS256, RS256. Default ES256 and RS256. */
  readonly algorithms?: readonly string[] | undefined
  /** The resources of the tokens. Default: all resources of the server. */
  readonly resources?: readonly string[] | undefined
  /** The lifetime of a token, in seconds, at most 3600. Default 900. */
  readonly lifetime?: number | undefined
}

/** Checked options. Lifetimes in seconds. */
export interface IssuerTerms {
  readonly keys: VerificationKeys
  readonly resources: readonly string[]
  readonly lifetime: number
  readonly maxAssertionLifetime: number
}

interface IssuerSource extends IssuerOptions {
  readonly maxAssertionLifetime?: number | undefined
  /** Absent for a SPIFFE trust domain, which has no discovery. */
  readonly issuer?: string | undefined
  /** Whether keys with the use `jwt-svid` are accepted (SPIFFE Trust Domain and Bundle 4). */
  readonly svid?: boolean | undefined
}

/** @throws Error that names the option at fault */
export type ReadIssuer = (option: string, source: IssuerSource) => IssuerTerms

/** In seconds. No user allows the token again, and its issuer cannot end it, so it is short. */
export const MAX_LIFETIME = 3600
const DEFAULT_ALGORITHMS = ['ES256', 'RS256']

/** @param fetch absent if all issuers have `jwks` */
export function trustedIssuers(kernel: Kernel, fetch: DocumentFetch | undefined): ReadIssuer {
  const keysOf = issuerKeys(kernel, fetch)
  const seconds = (option: string, value: number) => wholeSeconds(option, value, 1, MAX_LIFETIME)
  return (option, source) => {
    const { lifetime = 900, maxAssertionLifetime = MAX_LIFETIME } = source
    if (source.issuer === kernel.issuer) throw new Error(`${option}: a server does not trust itself`)
    const keys = keysOf(option, source)
    const resources = source.resources?.map(canonicalResource) ?? kernel.resources
    if (resources.length === 0 || !includesAll(kernel.resources, resources))
      throw new Error(`${option}: resources must be some of ${kernel.resources.join(', ')}`)
    return {
      ...{ keys, resources },
      lifetime: seconds(`${option}: lifetime`, lifetime),
      maxAssertionLifetime: seconds(`${option}: maxAssertionLifetime`, maxAssertionLifetime),
    }
  }
}

function issuerKeys(kernel: Kernel, fetch: DocumentFetch | undefined) {
  const plain = fetch && fetchedKeys(kernel, discovering(fetch), 'operator')
  const svid = fetch && fetchedKeys(kernel, withSvidKeys(discovering(fetch)), 'operator')
  const checked = new RecentlyUsed<readonly PublicJwk[]>(MAX_CHECKED)
  return (option: string, source: IssuerSource): VerificationKeys => {
    const { jwks } = source
    const algorithms = acceptedAlgorithms(option, source.algorithms ?? DEFAULT_ALGORITHMS)
    if (jwks !== undefined) {
      const text = JSON.stringify(jwks.keys.map((key) => (source.svid ? withoutSvidUse(key) : key)))
      const keys = checked.get(text) ?? usableKeys(JSON.parse(text))
      checked.set(text, keys)
      if (!keys.some((key) => algorithms.some((alg) => isFor(alg, key))))
        throw new Error(`${option}: jwks has no public key for ${algorithms.join(', ')}`)
      return { algorithms, keys: async () => keys }
    }
    const keysAt = source.svid ? svid : plain
    if (keysAt === undefined) throw new Error(`${option} needs jwks, or jwtBearer needs fetch`)
    return { algorithms, keys: keysAtAddress(keysAt, addressOf(option, source)) }
  }
}

/** Key sets of trusts that are looked up for each request: to check a key takes as long as to verify a signature. */
const MAX_CHECKED = 1000

const WELL_KNOWN = '/.well-known/openid-configuration'

function addressOf(option: string, { issuer, jwksUri }: IssuerSource): string {
  const address = jwksUri ?? (issuer && issuer + WELL_KNOWN)
  if (address === undefined) throw new Error(`${option} needs jwks or jwksUri`)
  if (!isHttpsOrLoopback(address))
    throw new Error(`${option}: keys are fetched by https alone, not at ${address}`)
  return address
}

/** Never `invalid_grant`: a workload client would not try again. */
function keysAtAddress(keysAt: FetchedKeys, address: string): VerificationKeys['keys'] {
  return async (since, ahead) => {
    try {
      return await keysAt(address, since, ahead)
    } catch (cause) {
      if (!(cause instanceof OAuthError)) throw cause
      const { retryAfter, facts } = cause
      const { jwt_grant_keys_unreachable } = JWT_GRANT_ERRORS
      throw new OAuthError(jwt_grant_keys_unreachable, undefined, { cause, retryAfter, facts })
    }
  }
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })

/** Fetches a key set. At a discovery document, its `jwks_uri` is fetched next. */
function discovering(fetch: DocumentFetch): DocumentFetch {
  return async (url, request) => {
    if (!url.endsWith(WELL_KNOWN)) return fetch(url, request)
    const issuer = url.slice(0, -WELL_KNOWN.length)
    // OpenID Connect Discovery 4: a slash at the end of the issuer is removed from the address. It counts in the document.
    const answer = await fetch(issuer.replace(/\/$/, '') + WELL_KNOWN, request)
    const fetched = fetchedDocument(answer, request.maxBytes)
    if (fetched.kind !== 'document') throw faulty(`discovery: ${fetched.fault}`)
    const found = Discovery.safeParse(fetched.members).data
    if (found?.issuer !== issuer) throw faulty('discovery: another issuer')
    if (!isHttpsOrLoopback(found.jwks_uri)) throw faulty('discovery: jwks_uri is not https')
    return fetch(found.jwks_uri, request)
  }
}

function faulty(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function withSvidKeys(fetch: DocumentFetch): DocumentFetch {
  return async (url, request) => {
    const answer = await fetch(url, request)
    const fetched = fetchedDocument(answer, request.maxBytes)
    const keys = fetched.kind === 'document' ? fetched.members.keys : undefined
    return Array.isArray(keys)
      ? { ...answer, body: JSON.stringify({ keys: keys.map(withoutSvidUse) }) }
      : answer
  }
}

function withoutSvidUse(key: object): object {
  const { use, ...members } = Object(key)
  return use === 'jwt-svid' ? members : key
}
