import { user } from '@grantkit/reference/test/user'
import { Installation } from './installation.ts'
import type { Tally } from './tally.ts'
import { connectionTo } from './wire.ts'

export interface MixOptions {
  /** The address for the pages and cookies of the service. */
  readonly baseUrl: string
  /** The targets of requests, in turn. */
  readonly origins: readonly string[]
  /** The number of parallel requests. */
  readonly workers: number
  readonly tally: Tally
  readonly actions?: Mix
  /** Called before each request. */
  readonly shouldContinue: () => boolean
}

/** The actions of installations, with their weights. */
export type Mix = readonly (readonly [weight: number, act: (installation: Installation) => Promise<void>])[]

/** What apps do. */
export const USUAL: Mix = [
  [40, (installation) => installation.call()],
  [15, (installation) => installation.refresh()],
  [5, (installation) => installation.refresh(2)],
  [12, (installation) => installation.signIn()],
  [3, (installation) => installation.raceForCode(2)],
  [10, (installation) => installation.introspect()],
  [5, (installation) => installation.revoke()],
  [5, (installation) => installation.register()],
  [5, (installation) => installation.attack()],
]

/** Mostly what the store decides: who gets tokens. */
export const TOKENS: Mix = [
  [55, (installation) => installation.refresh()],
  [25, (installation) => installation.refresh(3)],
  [8, (installation) => installation.signIn()],
  [4, (installation) => installation.raceForCode(3)],
  [4, (installation) => installation.call()],
  [2, (installation) => installation.revoke()],
  [2, (installation) => installation.attack()],
]

/** The number of installations of each worker. */
const INSTALLATIONS = 8

/** Runs many installations, and checks every answer. */
export async function runMix({
  baseUrl,
  origins,
  workers,
  tally,
  actions = USUAL,
  shouldContinue,
}: MixOptions): Promise<void> {
  const connection = await connectionTo(baseUrl, origins, tally)
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const person = user(baseUrl)
      const installations = Array.from(
        { length: INSTALLATIONS },
        () => new Installation(connection, tally, person, baseUrl),
      )
      while (shouldContinue()) {
        const installation = installations[Math.floor(Math.random() * INSTALLATIONS)]
        if (installation) await randomAction(actions)(installation)
      }
    }),
  )
}

function randomAction(actions: Mix): (installation: Installation) => Promise<void> {
  let left = Math.random() * actions.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, act] of actions) {
    left -= weight
    if (left < 0) return act
  }
  return (installation) => installation.call()
}
