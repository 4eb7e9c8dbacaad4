/**
 * DPoP (RFC 9449): sender-constrained tokens, which only the holder of a private key can use. It turns the proof of a request into the thumbprint of its key. The other modules bind tokens to it. Only `replay: 'strict'` stores anything.
 */
import * as z from 'zod'
import type { Feature } from '../../feature.ts'
import type { HttpRequest } from '../../http/http.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { acceptedSecrets, type ServerSecret } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import type { ProofsOfResource, ProvenResource } from '../../resource/resource-server.ts'
import { acceptedAlgorithms, type JwsAlgorithm } from '../../tokens/jwk.ts'
import { DPOP_ERRORS, dpopNonces, type ProofVerifier, presentedKey, proofsAt } from './dpop-proof.ts'

export type { JwsAlgorithm as DpopAlgorithm } from '../../tokens/jwk.ts'

export interface DpopOptions {
  /** The algorithms of proofs. Default: `ES256`, and `EdDSA` with its newer name `Ed25519`. */
  readonly algorithms?: readonly JwsAlgorithm[] | undefined
  /** Requires a nonce in every proof (RFC 9449 8): a client sends its first request twice. Default: no nonce is required. */
  readonly nonce?: 'required' | undefined
  /** Whether every request needs a proof. Default: clients choose, by `dpop_bound_access_tokens` or by sending a proof. */
  readonly required?: boolean | undefined
  /**
   * `strict`: UserInfo, or an API, accepts a proof once. This costs a write for each request and needs a store with
   * transients. Default: a proof can be repeated for the same request for some minutes (RFC 9449 11.1).
   */
  readonly replay?: 'strict' | undefined
}

export interface DpopProofsOptions extends DpopOptions {
  /** The secret of the authorization server, for the nonces. At least 32 characters, the same on every replica. */
  readonly secret: ServerSecret
  /** The origin where clients reach the API, `https://api.example`. Default: the origin of its resource indicator. */
  readonly publicOrigin?: string | undefined
  /**
   * The URI of a request as its client sees it, for proxies that change paths. Never use Host or X-Forwarded-Host: the
   * sender chooses these. Default: the origin and the path of the request.
   */
  readonly htu?: ((request: HttpRequest) => string) | undefined
}

/**
 * Issues sender-constrained tokens: the tokens of a client that sends a proof are bound to its key (RFC 9449 5). The guards of
 * the APIs need `dpopProofs`, or they refuse these tokens. Enable it once every replica runs a version with DPoP.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { dpop } from '@grantkit/core/dpop'
 *
 * const features = [dpop()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function dpop(options: DpopOptions = {}): Feature {
  const algorithms = acceptedAlgorithms('dpop', options.algorithms ?? DEFAULT_ALGORITHMS)
  return ({ issuer, store, now, secret }) => {
    const { nonce, required = false } = options
    const used = usedProofs(options, store.transients)
    const verifierAt = (origin: string): ProofVerifier => ({
      algorithms,
      nonces: dpopNonces(secret, origin),
      nonceRequired: nonce === 'required',
      // Routes match the unchanged path.
      uriOf: ({ path }) => origin + path,
      now,
    })
    const { origin } = new URL(issuer)
    const verifier = verifierAt(origin)
    const proofsFor = (at: string) => proofsAt({ ...verifierAt(at), used }, required)
    return {
      senderConstraint: {
        provenKey(request, client) {
          const key = presentedKey(verifier, request)
          if (key === undefined && (required || client?.featureMetadata?.[BOUND] === true))
            throw new OAuthError(DPOP_ERRORS.dpop_proof_missing)
          return key && { thumbprint: key.thumbprint, headers: key.verify() }
        },
        userinfo: proofsFor(origin),
        proofsAt: proofsFor,
      },
      metadata: { dpop_signing_alg_values_supported: algorithms },
      resourceMetadata: {
        dpop_signing_alg_values_supported: algorithms,
        ...(required ? { dpop_bound_access_tokens_required: true } : {}),
      },
      clientMetadata: () => ({ [BOUND]: z.boolean().optional() }),
      errors: DPOP_ERRORS,
    }
  }
}

/** RFC 9449 5.2. */
const BOUND = 'dpop_bound_access_tokens'

/**
 * Makes the guard of an API accept sender-constrained tokens: the option `proofs` of `createResourceServer`.
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
  const algorithms = acceptedAlgorithms('dpop', options.algorithms ?? DEFAULT_ALGORITHMS)
  const secrets = acceptedSecrets(options.secret, 'dpopProofs: ')
  return (guarded) => {
    const origin = originOf(options, guarded)
    const { nonce, required = false, htu = ({ path }) => origin + path } = options
    const verifier = {
      algorithms,
      nonces: dpopNonces(secrets, origin),
      nonceRequired: nonce === 'required',
      uriOf: htu,
      used: usedProofs(options, guarded.transients),
      now: guarded.now,
    }
    return proofsAt(verifier, required)
  }
}

function originOf({ publicOrigin }: DpopProofsOptions, { resource }: ProvenResource): string {
  const from = publicOrigin ?? resource
  if (!/^https?:\/\/./.test(from)) throw new Error('dpopProofs: publicOrigin must be an http or https origin')
  return new URL(from).origin
}

const DEFAULT_ALGORITHMS: readonly JwsAlgorithm[] = ['ES256', 'EdDSA', 'Ed25519']

/** The store of used proofs. @throws Error if `replay` is set and the store has no transients */
function usedProofs({ replay }: DpopOptions, transients: Transients | undefined): Transients | undefined {
  if (replay === undefined) return undefined
  if (transients === undefined) throw new Error('dpop: the store has no transients, which replay needs')
  return transients
}
