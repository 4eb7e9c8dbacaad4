/**
 * DPoP (RFC 9449): tokens that are good only for who holds a key. A request with a proof comes in, the thumbprint of its key
 * goes out. The other modules bind tokens to it. Nothing is stored, except used proofs where each is good once.
 */
import { z } from 'zod'
import type { Feature } from '../feature.ts'
import type { HttpRequest } from '../http/http.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { acceptedSecrets, type ServerSecret } from '../kernel/server-secret.ts'
import type { Transients } from '../kernel/store.ts'
import type { ProofsOfResource, ProvenResource } from '../resource/resource-server.ts'
import { JWS_ALGORITHMS, type JwsAlgorithm } from '../tokens/jwk.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import { dpopNonces } from './dpop-nonce.ts'
import { DPOP_ERRORS } from './dpop-proof.ts'
import { type ProofPlace, presentedKey, proofsAt } from './presented-proof.ts'

export type { JwsAlgorithm as DpopAlgorithm } from '../tokens/jwk.ts'

export interface DpopOptions {
  /** The algorithms of proofs. Default: `ES256`, and `EdDSA` with its newer name `Ed25519`. */
  readonly algorithms?: readonly JwsAlgorithm[] | undefined
  /** Demands a nonce in every proof (RFC 9449 8): each client asks twice at its first request. Default: none is needed. */
  readonly nonce?: 'required' | undefined
  /** Refuses what is bound to no key. Default: clients choose, by `dpop_bound_access_tokens` or by sending a proof. */
  readonly required?: boolean | undefined
  /**
   * `strict` takes each proof once at UserInfo, or at an API. That costs a write for each request and needs a store with
   * transients. Default: a proof is good for its request, by its key, for some minutes (RFC 9449 11.1).
   */
  readonly replay?: 'strict' | undefined
}

export interface DpopProofsOptions extends DpopOptions {
  /** The secret of the authorization server, which makes the nonces. At least 32 characters, the same on every replica. */
  readonly secret: ServerSecret
  /** The origin where clients reach the API, `https://api.example`. Default: that of its resource indicator. */
  readonly publicOrigin?: string | undefined
  /**
   * The URI of a request as its client sees it, where a proxy changes paths. Never take it from Host or X-Forwarded-Host:
   * the sender chooses these. Default: the origin and the path of the request.
   */
  readonly htu?: ((request: HttpRequest) => string) | undefined
}

/**
 * Binds the tokens of a client that proves a key to this key (RFC 9449 5). Give `dpopProofs` to the guards of the APIs, or
 * they refuse these tokens. Turn it on when every replica knows DPoP.
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
  const algorithms = checkedAlgorithms(options)
  return ({ issuer, store, now, secret }) => {
    const { nonce, required = false } = options
    const used = usedProofs(options, store.transients)
    const placeAt = (origin: string): ProofPlace => ({
      algorithms,
      nonces: dpopNonces(secret, origin),
      nonceRequired: nonce === 'required',
      // Its routes match the path as it is.
      uriOf: ({ path }) => origin + path,
      now,
    })
    const { origin } = new URL(issuer)
    const proofsOf = (place: ProofPlace) => proofsAt({ ...place, used }, required)
    return {
      senderConstraint: {
        provenKey: provenKeyAt(placeAt(origin), required),
        userinfo: proofsOf(placeAt(origin)),
        proofsAt: (other) => proofsOf(placeAt(other)),
        resourceMetadata: {
          dpop_signing_alg_values_supported: algorithms,
          ...(required ? { dpop_bound_access_tokens_required: true } : {}),
        },
      },
      metadata: { dpop_signing_alg_values_supported: algorithms },
      clientMetadata: () => ({ [BOUND]: z.boolean().optional() }),
      errors: DPOP_ERRORS,
    }
  }
}

/** RFC 9449 5.2. */
const BOUND = 'dpop_bound_access_tokens'

function provenKeyAt(place: ProofPlace, required: boolean): SenderConstraint['provenKey'] {
  return (request, client) => {
    const key = presentedKey(place, request)
    if (key === undefined && (required || wantsBoundTokens(client)))
      throw new OAuthError(DPOP_ERRORS.dpop_proof_missing)
    return key && { thumbprint: key.thumbprint, headers: key.verify() }
  }
}

function wantsBoundTokens(client: Client | undefined): boolean {
  return client?.featureMetadata?.[BOUND] === true
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
  const secrets = acceptedSecrets(options.secret, 'dpopProofs: ')
  return (guarded) => {
    const origin = originOf(options, guarded)
    const { nonce, required = false, htu = ({ path }) => origin + path } = options
    const place = {
      algorithms,
      nonces: dpopNonces(secrets, origin),
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

const DEFAULT_ALGORITHMS: readonly JwsAlgorithm[] = ['ES256', 'EdDSA', 'Ed25519']

/** @throws Error that names the option at fault */
function checkedAlgorithms({ algorithms = DEFAULT_ALGORITHMS }: DpopOptions): readonly JwsAlgorithm[] {
  if (algorithms.length === 0 || !algorithms.every((name) => JWS_ALGORITHMS.includes(name)))
    throw new Error(`dpop: algorithms must be some of ${JWS_ALGORITHMS.join(', ')}`)
  return algorithms
}

/** Where used proofs are kept. @throws Error when the store cannot keep them */
function usedProofs({ replay }: DpopOptions, transients: Transients | undefined): Transients | undefined {
  if (replay === undefined) return undefined
  if (transients === undefined) throw new Error('dpop: the store has no transients, which replay needs')
  return transients
}
