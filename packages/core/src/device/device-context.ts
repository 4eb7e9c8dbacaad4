import type { ScopeOptions } from '../authorization/authorization-request.ts'
import type { GrantTerms } from '../grants/grant-terms.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import type { AcceptedSecrets, SuccessorKeys } from '../kernel/server-secret.ts'
import type { Transients } from '../kernel/store.ts'
import type { SafeLimiter } from '../limits/rate-limits.ts'
import type { DeviceInteraction } from './device-interaction.ts'

/**
 * RFC 8628 3.4.
 *
 * @example
 * ```ts
 * import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
 *
 * const poll = new URLSearchParams({ grant_type: DEVICE_CODE_GRANT, device_code: 'gkd_…', client_id: 'tv' })
 * ```
 */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Seconds between two polls (RFC 8628 3.2). */
export const INTERVAL = 5

/** Input of every step in this room. */
export interface DeviceContext {
  readonly kernel: Kernel
  readonly transients: Transients
  readonly limiter: SafeLimiter
  readonly interaction: DeviceInteraction
  readonly secret: AcceptedSecrets
  readonly keys: SuccessorKeys
  readonly times: GrantTerms
  /** Seconds. */
  readonly lifetimes: { readonly deviceCode: number; readonly deviceGrant: number }
  /** The most seconds since the sign-in of who decides. */
  readonly maxAge: number
  readonly scopeOptions: ScopeOptions
  /** The most that a client may ask for. */
  readonly ceilingOf: (client: Client) => readonly string[]
  readonly selfRegistered: boolean
  /** Whether devices get an address that has the code in it. */
  readonly completeUri: boolean
  /** From the root of the host. */
  readonly paths: { readonly device: string; readonly decision: string }
  /** The address that people type. */
  readonly verificationUri: string
}
