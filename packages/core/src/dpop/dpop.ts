/**
 * DPoP (RFC 9449): tokens that are good only for who holds a key. A request with a proof comes in, the thumbprint of its key
 * goes out. The rooms of the server bind tokens to it. Nothing is stored, except used proofs where each is good once.
 */
import { z } from 'zod'
import type { Feature } from '../feature.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import { dpopNonces } from './dpop-nonce.ts'
import { checkedAlgorithms, type DpopOptions, usedProofs } from './dpop-options.ts'
import { CORS_HEADERS, DPOP_ERRORS, type ProofPlace, presentedKey, proofsAt } from './proof-checks.ts'

export { type DpopProofsOptions, dpopProofs } from './dpop-proofs.ts'
export type { DpopAlgorithm } from './proof-algorithms.ts'
export type { DpopOptions }

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
 * const features = [dpop({ secret })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function dpop(options: DpopOptions): Feature {
  const algorithms = checkedAlgorithms(options)
  return ({ issuer, store, now }) => {
    const { origin } = new URL(issuer)
    const { secret, nonce, required = false } = options
    const place: ProofPlace = {
      algorithms,
      nonces: dpopNonces(secret, origin),
      nonceRequired: nonce === 'required',
      // Its routes match the path as it is.
      uriOf: ({ path }) => origin + path,
      now,
    }
    return {
      senderConstraint: senderConstraint(place, required, usedProofs(options, store.transients)),
      metadata: { dpop_signing_alg_values_supported: algorithms },
      resourceMetadata: {
        dpop_signing_alg_values_supported: algorithms,
        ...(required ? { dpop_bound_access_tokens_required: true } : {}),
      },
      clientMetadata: () => ({ [BOUND]: z.boolean().optional() }),
      corsHeaders: CORS_HEADERS,
    }
  }
}

/** RFC 9449 5.2. */
const BOUND = 'dpop_bound_access_tokens'

function senderConstraint(place: ProofPlace, required: boolean, used: ProofPlace['used']): SenderConstraint {
  return {
    provenKey(request, client) {
      const key = presentedKey(place, request)
      if (key === undefined && (required || wantsBoundTokens(client)))
        throw new OAuthError(DPOP_ERRORS.dpop_proof_missing)
      return key && { thumbprint: key.thumbprint, headers: key.verify() }
    },
    userinfo: proofsAt({ ...place, used }, required),
  }
}

function wantsBoundTokens(client: Client | undefined): boolean {
  return client?.featureMetadata?.[BOUND] === true
}
