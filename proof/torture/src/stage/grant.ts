import type { Tokens } from '../bursts/attempt.ts'
import type { Client } from '../client/client-authentication.ts'
import type { DeviceAuthorization } from '../grants/device.ts'

/** A grant of the run, as the app that got it knows it. */
export interface Grant {
  readonly family: string
  readonly client: Client
  readonly scope: readonly string[]
  readonly code?: string | undefined
  readonly verifier?: string | undefined
  /** The URL of the callback that brought the code. */
  readonly callback?: string | undefined
  readonly device?: DeviceAuthorization | undefined
}

/** A grant with its tokens. */
export interface HeldGrant extends Grant {
  readonly tokens: Tokens & { readonly access: string; readonly refresh: string }
}
