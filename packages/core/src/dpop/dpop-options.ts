import { acceptedSecrets, type ServerSecret } from '../kernel/server-secret.ts'
import type { Transients } from '../kernel/store.ts'
import { DPOP_ALGORITHMS, type DpopAlgorithm } from './proof-algorithms.ts'

export interface DpopOptions {
  /** Makes the nonces. At least 32 characters, the same on every replica. */
  readonly secret: ServerSecret
  /** The algorithms of proofs. Default: `ES256`, and `EdDSA` with its newer name `Ed25519`. */
  readonly algorithms?: readonly DpopAlgorithm[] | undefined
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

const DEFAULT_ALGORITHMS: readonly DpopAlgorithm[] = ['ES256', 'EdDSA', 'Ed25519']

/** @throws Error that names the option at fault */
export function checkedAlgorithms({
  secret,
  algorithms = DEFAULT_ALGORITHMS,
}: DpopOptions): readonly DpopAlgorithm[] {
  acceptedSecrets(secret, 'dpop: ')
  if (algorithms.length === 0 || !algorithms.every((name) => DPOP_ALGORITHMS.includes(name)))
    throw new Error(`dpop: algorithms must be some of ${DPOP_ALGORITHMS.join(', ')}`)
  return algorithms
}

/** Where used proofs are kept. @throws Error when the store cannot keep them */
export function usedProofs(
  { replay }: DpopOptions,
  transients: Transients | undefined,
): Transients | undefined {
  if (replay === undefined) return undefined
  if (transients === undefined) throw new Error('dpop: the store has no transients, which replay needs')
  return transients
}
