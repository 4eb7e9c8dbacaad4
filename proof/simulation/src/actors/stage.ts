import type { History } from '../history/history.ts'
import type { SeededRandom } from '../scheduler/seeded-random.ts'
import type { VirtualTime } from '../scheduler/virtual-time.ts'
import type { Network } from '../service/network.ts'
import type { Clients } from '../service/service.ts'

/** What the actors of a run share. */
export interface Stage {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly network: Network
  readonly history: History
  readonly clients: Clients
}
