import type { Budget } from '../client/budget.ts'
import type { Client } from '../client/client-authentication.ts'
import type { Endpoints } from '../client/metadata.ts'
import type { Transport } from '../client/transport.ts'
import type { Ways } from '../grants/ways.ts'
import type { Declared } from '../history/declared.ts'
import type { Recorder } from '../history/recorder.ts'
import type { SeededRandom } from '../random.ts'

/** Everything that the checks of a run share. */
export interface Bench {
  readonly issuer: string
  readonly endpoints: Endpoints
  /** The acting client, and the other one where there is one. */
  readonly clients: readonly [Client, ...Client[]]
  /** The client whose introspection says something. Absent: none. */
  readonly introspector?: Client | undefined
  readonly ways: Ways
  readonly scope: readonly string[]
  readonly redirectUri: string
  /** Base URLs. None: the issuer alone. */
  readonly replicas: readonly string[]
  readonly transport: Transport
  readonly budget: Budget
  readonly recorder: Recorder
  readonly random: SeededRandom
  /** What the operator declares. */
  readonly declared: Partial<Declared>
  /** How long codes live, in seconds. Default: 60. */
  readonly codeSeconds: number
  /** At most so many requests in a burst. */
  readonly maxBurst: number
  /** Ends the server or a replica, and starts it again. */
  readonly crash?: (() => Promise<void>) | undefined
  /** Sets the clock of a replica. */
  readonly clock?: (() => Promise<void>) | undefined
  /** Whether to wait for expiry. */
  readonly slow: boolean
}
