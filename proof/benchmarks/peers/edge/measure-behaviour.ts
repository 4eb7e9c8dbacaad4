import {
  type OldToken,
  oldTokenOf,
  type Redemptions,
  type Refreshes,
  type Repetition,
  type Replay,
  redeemAtOnce,
  refreshAtOnce,
  refreshElsewhereAndBack,
  repeatLostRefresh,
  replay,
  type Setup,
} from './behaviours.ts'
import { clientOf } from './client.ts'
import { countsOf, type Operations, operationsOfARefresh } from './operations.ts'
import { startWorker } from './running-worker.ts'
import { SIDES, type Side } from './sides.ts'

export const REFRESHES = 50
export const REDEMPTIONS = 20

export interface Behaviour {
  readonly refreshes: readonly Refreshes[]
  readonly redemptions: readonly Redemptions[]
  /** The same, while each call of the store takes a while. */
  readonly slowRedemptions: readonly Redemptions[]
  readonly repetition: Repetition
  readonly elsewhereAndBack: readonly [number, number]
  readonly replays: {
    readonly atOnce: Replay
    /** When no retry window is open any more. */
    readonly later: Replay
  }
  readonly operations: Operations
}

/** Of a call of a store in the same region, about. */
export const LATENCY_MS = 10

/** Longer than the retry window of Grantkit, which is a minute. */
const LATER_MS = 62_000

/** All by name. Nothing here depends on speed. @param rounds of the races */
export async function behaviours(rounds: number): Promise<Map<string, Behaviour>> {
  const opened: Opened[] = []
  for (const side of SIDES) opened.push(await open(side))
  const measured = new Map<string, Behaviour>()
  for (const one of opened) measured.set(one.side.name, await behaviourOf(one, rounds))
  return measured
}

interface Opened {
  readonly side: Side
  readonly setup: () => Promise<Setup>
  /** Adds milliseconds to each call of the store. */
  slowDown(latency: number): Promise<void>
  readonly old: OldToken
  close(): Promise<void>
}

/** The Worker that counts also simulates locations. */
async function open(side: Side): Promise<Opened> {
  const { url, close } = await startWorker({ ...side, worker: side.counted })
  const setup = async () => ({ client: await clientOf(side, url), url })
  const slowDown = async (latency: number) => void (await countsOf(url, latency))
  return { side, setup, slowDown, close, old: await oldTokenOf(await setup()) }
}

type Races = Pick<Behaviour, 'refreshes' | 'redemptions' | 'slowRedemptions'>

async function races({ setup, slowDown }: Opened, rounds: number): Promise<Races> {
  const refreshes: Refreshes[] = []
  const redemptions: Redemptions[] = []
  const slowRedemptions: Redemptions[] = []
  for (let round = 0; round < rounds; round++) {
    refreshes.push(await refreshAtOnce(await setup(), REFRESHES))
    redemptions.push(await redeemAtOnce(await setup(), REDEMPTIONS))
    await slowDown(LATENCY_MS)
    slowRedemptions.push(await redeemAtOnce(await setup(), REDEMPTIONS))
    await slowDown(0)
  }
  return { refreshes, redemptions, slowRedemptions }
}

async function behaviourOf(opened: Opened, rounds: number): Promise<Behaviour> {
  const { side, setup, old, close } = opened
  const measured = {
    ...(await races(opened, rounds)),
    repetition: await repeatLostRefresh(await setup()),
    elsewhereAndBack: await refreshElsewhereAndBack(await setup()),
    operations: await operationsOfARefresh(side),
    replays: {
      atOnce: await replay(await oldTokenOf(await setup())),
      later: await replay(old, LATER_MS),
    },
  }
  await close()
  return measured
}
