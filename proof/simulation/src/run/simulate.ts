import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { createSqliteStore, migrate } from '@grantkit/store-sqlite'
import type { Operation } from '@grantkit/torture'
import { App } from '../actors/app.ts'
import { History } from '../history/history.ts'
import { distinctSeeds } from '../plan/distinct-seeds.ts'
import { type Incident, MAX_OFFSET_MS, type Plan } from '../plan/plan.ts'
import { SeededRandom } from '../scheduler/seeded-random.ts'
import { VirtualTime } from '../scheduler/virtual-time.ts'
import { registeredClients } from '../service/clients.ts'
import { Network } from '../service/network.ts'
import { type Plant, Replica } from '../service/replica.ts'
import { EPOCH } from '../service/service.ts'
import type { Conditions } from '../store/conditions.ts'
import { Journal } from '../store/journal.ts'

export interface Run {
  readonly operations: readonly Operation[]
  /** The same for the same plan. */
  hash(): string
  /** Calls of the store. */
  readonly steps: number
  /** Milliseconds of virtual time. */
  readonly lasted: number
  /** Families whose last writes a failover has lost: nobody can promise anything for them. */
  readonly lostFamilies: ReadonlySet<string>
  /** The types of the events that the server emitted. */
  readonly events: ReadonlyMap<string, number>
}

/** Runs a plan in virtual time. @throws ForeignWaitError */
export async function simulate(plan: Plan, plant: Plant = {}): Promise<Run> {
  const registered = await registeredClients()
  const time = new VirtualTime()
  const random = new SeededRandom(plan.seed)
  const { store, close } = openStore(plan, time, random)
  try {
    const journal = new Journal(store, time)
    const { rates, storeMs } = plan
    const conditions: Conditions = { time, random, rates, storeMs, frozenUntil: 0, steps: 0 }
    return await runWith(plan, plant, { journal, conditions, registered })
  } finally {
    close()
  }
}

interface World {
  readonly journal: Journal
  readonly conditions: Conditions
  readonly registered: Awaited<ReturnType<typeof registeredClients>>
}

async function runWith(plan: Plan, plant: Plant, world: World): Promise<Run> {
  const { journal, conditions, registered } = world
  const { clients, insertions } = registered
  const { time } = conditions
  const history = new History()
  const events = new Map<string, number>()
  const onEvent = ({ type }: { readonly type: string }) => void events.set(type, (events.get(type) ?? 0) + 1)
  const replicas = plan.clocks.map((offsetMs, number) => {
    const ahead = number === plan.clocks.length - 1 ? (plant.clockAheadMs ?? 0) : 0
    const parts = { number, store: journal.store, conditions, guardLagMs: plan.guardLagMs, plant, onEvent }
    return new Replica(parts, offsetMs + ahead)
  })
  const lostGrants: string[] = []
  for (const incident of plan.incidents) arrange(incident, { ...world, replicas, lostGrants, plant })
  time.start(async () => {
    for (const insertion of insertions) await journal.store.clients.insert(...insertion)
    const seeds = distinctSeeds(plan.apps)
    for (const [at, app] of plan.apps.entries()) {
      const random = new SeededRandom(seeds[at] as number)
      const network = new Network({ plan, conditions, replicas, history, random })
      const stage = { time, random, network, history, clients }
      // Two apps of each user.
      time.start(() => new App(`app${at + 1}`, `user-${at >> 1}`, stage).run(app))
    }
  })
  await time.run()
  history.end()
  return {
    ...{
      operations: history.operations,
      hash: () => history.hash(),
      steps: conditions.steps,
      lasted: time.now,
      events,
    },
    lostFamilies: new Set(lostGrants.flatMap((id) => history.familyOf(id) ?? [])),
  }
}

interface Scene extends World {
  readonly replicas: readonly Replica[]
  readonly lostGrants: string[]
  readonly plant: Plant
}

function arrange(incident: Incident, { journal, conditions, replicas, lostGrants, plant }: Scene): void {
  const { time } = conditions
  const replicaAt = (number: number) => replicas[number % replicas.length] as Replica
  time.after(incident.at, () => {
    if (incident.kind === 'crash') {
      const replica = replicaAt(incident.replica)
      replica.crash()
      if (plant.crashLosesMs !== undefined) void journal.loseLast(plant.crashLosesMs)
      time.after(incident.downMs, () => replica.start())
    } else if (incident.kind === 'clockJump')
      replicaAt(incident.replica).moveClock(incident.byMs, MAX_OFFSET_MS)
    else if (incident.kind === 'freeze') conditions.frozenUntil = time.now + incident.forMs
    else void journal.loseLast(incident.lostMs).then((ids) => lostGrants.push(...ids))
  })
}

function openStore(
  plan: Plan,
  time: VirtualTime,
  random: SeededRandom,
): { readonly store: Store; close(): void } {
  const now = () => EPOCH + Math.floor(time.now / 1000)
  if (plan.store === 'memory') return { store: createMemoryStore({ now }), close: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'))
  const path = join(folder, 'grants.sqlite')
  migrate({ path })
  const options = { path, durability: 'process', sweeping: false, now, time, random: random.bytes } as const
  const store = createSqliteStore(options)
  const close = () => {
    void store.close()
    rmSync(folder, { recursive: true })
  }
  return { store, close }
}
