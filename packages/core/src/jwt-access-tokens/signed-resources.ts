import type { SigningAlgorithm } from '../kernel/records.ts'
import { checkedResource } from '../kernel/resource-indicator.ts'
import { MAX_SIGNED_LIFETIME } from '../kernel/revocation-log.ts'

const DEFAULT_LIFETIME = 300

/** How the tokens of one resource are signed. */
export interface SignedResource {
  /** Seconds, 600 at most. Default 300. */
  readonly lifetime?: number | undefined
  /** Default: ES256 if there is a key for it, else RS256. */
  readonly alg?: SigningAlgorithm | undefined
}

/** The resources whose tokens are signed, by their canonical names. */
export interface SignedResources {
  readonly names: readonly string[]
  /** That of a token for one such resource alone: a JWT has one `aud` (RFC 9068 3). */
  of(bound: readonly string[]): { name: string; lifetime: number; alg: SigningAlgorithm } | undefined
}

/** @throws Error that names the resource at fault */
export function signedResources(
  given: Readonly<Record<string, SignedResource>>,
  algorithms: readonly SigningAlgorithm[],
): SignedResources {
  const byName = new Map(
    Object.entries(given).map(([resource, options]) => {
      const name = checkedResource(`jwtAccessTokens: resources['${resource}']`, resource)
      return [name, { name, ...checked(resource, options, algorithms) }]
    }),
  )
  return {
    names: [...byName.keys()],
    of: ([first = '', ...others]) => (others.length === 0 ? byName.get(first) : undefined),
  }
}

function checked(
  resource: string,
  { lifetime = DEFAULT_LIFETIME, alg: chosen }: SignedResource,
  algorithms: readonly SigningAlgorithm[],
): { lifetime: number; alg: SigningAlgorithm } {
  const alg = chosen ?? (algorithms.includes('ES256') ? 'ES256' : 'RS256')
  if (!Number.isInteger(lifetime) || lifetime < 1 || lifetime > MAX_SIGNED_LIFETIME)
    throw new Error(
      `jwtAccessTokens: resources['${resource}'].lifetime must be a whole number from 1 to ${MAX_SIGNED_LIFETIME}`,
    )
  if (!algorithms.includes(alg))
    throw new Error(`jwtAccessTokens: resources['${resource}'] needs a key for ${alg}`)
  return { lifetime, alg }
}
