import { user } from '../test/user.ts'
import { Installation } from './installation.ts'
import type { Tally } from './tally.ts'
import { connectionTo } from './wire.ts'

export interface MixOptions {
  /** The address of the service, which its pages and cookies belong to. */
  readonly baseUrl: string
  /** Where requests are sent, in turn. */
  readonly origins: readonly string[]
  /** How many requests are under way at once. */
  readonly workers: number
  readonly tally: Tally
  /** Asked before each request. */
  readonly goOn: () => boolean
}

/** What installations do, by how often. */
const MIX: readonly (readonly [weight: number, act: (installation: Installation) => Promise<void>])[] = [
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
const TOTAL = MIX.reduce((sum, [weight]) => sum + weight, 0)
/** Installations that a worker has at hand. */
const INSTALLATIONS = 8

/** Lets many installations do what they do, and examines every answer. */
export async function runMix({ baseUrl, origins, workers, tally, goOn }: MixOptions): Promise<void> {
  const connection = await connectionTo(baseUrl, origins, tally)
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const person = user(baseUrl)
      const installations = Array.from(
        { length: INSTALLATIONS },
        () => new Installation(connection, tally, person, baseUrl),
      )
      while (goOn()) {
        const installation = installations[Math.floor(Math.random() * INSTALLATIONS)]
        if (installation) await anyAct()(installation)
      }
    }),
  )
}

function anyAct(): (installation: Installation) => Promise<void> {
  let left = Math.random() * TOTAL
  for (const [weight, act] of MIX) {
    left -= weight
    if (left < 0) return act
  }
  return (installation) => installation.call()
}
