import type { RefreshTokenSecret } from '../../../packages/core/src/grants/refresh-token-state.ts'
import type { GrantId, Secret } from '../../../packages/core/src/kernel/secrets.ts'
import type { Gate, Progress } from './request.ts'

/** The clock of a replica, in epoch seconds. */
export type NowAt = (replica: number) => () => number

/** A request for tokens. */
export interface Presented {
  /** As the model names it: `code`, `wrong verifier`, `poll` or `refresh`. */
  readonly kind: string
  /** Of a refresh. */
  readonly token?: RefreshTokenSecret | undefined
}

/** What a trace is replayed on: two replicas with a store and a clock each. A replica is 0 or 1. */
export interface Replicas {
  /** Of the grant that is compared; absent before its approval. */
  readonly grantId: GrantId | undefined
  /** The consent form of an app. */
  approve(replica: number): Promise<void>
  deny(replica: number): Promise<void>
  /** The form for a device. @param loses whether the store fails between its two writes */
  allowDevice(replica: number, loses: boolean): Promise<void>
  denyDevice(replica: number): Promise<void>
  /** `pending`, `allowed` or `denied`; `none` if there is no device, or if its request has been forgotten. */
  decision(): Promise<string>
  /** A request reaches a replica. */
  arrive(presented: Presented, replica: number, gate: Gate): Promise<Progress>
  /** @param token a refresh token of the grant; without one, its user ends it */
  revoke(token: RefreshTokenSecret | undefined): Promise<void>
  revokeAccess(token: Secret, replica: number): Promise<void>
  /** @returns the exchanged token */
  exchange(token: Secret, replica: number): Promise<Secret>
}
