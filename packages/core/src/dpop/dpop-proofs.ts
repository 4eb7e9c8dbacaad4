import type { HttpRequest } from '../http/http.ts'
import type { ProofsOfResource, ProvenResource } from '../resource/resource-server.ts'
import { dpopNonces } from './dpop-nonce.ts'
import { checkedAlgorithms, type DpopOptions, usedProofs } from './dpop-options.ts'
import { proofsAt } from './proof-checks.ts'

export interface DpopProofsOptions extends DpopOptions {
  /** The origin where clients reach the API, `https://api.example`. Default: that of its resource indicator. */
  readonly publicOrigin?: string | undefined
  /**
   * The URI of a request as its client sees it, where a proxy changes paths. Never take it from Host or X-Forwarded-Host:
   * the sender chooses these. Default: the origin and the path of the request.
   */
  readonly htu?: ((request: HttpRequest) => string) | undefined
}

/**
 * Lets the guard of an API take the tokens that `dpop` binds: the option `proofs` of `createResourceServer`.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createResourceServer } from '@grantkit/core'
 * import { dpopProofs } from '@grantkit/core/dpop'
 *
 * export const notes = createResourceServer({ resource: issuer, store, scopes, proofs: dpopProofs({ secret }) })
 * ```
 */
export function dpopProofs(options: DpopProofsOptions): ProofsOfResource {
  const algorithms = checkedAlgorithms(options)
  return (guarded) => {
    const origin = originOf(options, guarded)
    const { secret, nonce, required = false, htu = ({ path }) => origin + path } = options
    const place = {
      algorithms,
      nonces: dpopNonces(secret, origin),
      nonceRequired: nonce === 'required',
      uriOf: htu,
      used: usedProofs(options, guarded.transients),
      now: guarded.now,
    }
    return proofsAt(place, required)
  }
}

function originOf({ publicOrigin }: DpopProofsOptions, { resource }: ProvenResource): string {
  const from = publicOrigin ?? resource
  if (!/^https?:\/\/./.test(from)) throw new Error('dpopProofs: publicOrigin must be an http or https origin')
  return new URL(from).origin
}
