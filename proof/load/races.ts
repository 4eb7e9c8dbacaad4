import { user } from '@grantkit/reference/test/user'
import { Installation } from './installation.ts'
import type { Tally } from './tally.ts'
import { connectionTo } from './wire.ts'

/** One of twenty races is for a code; the others are for the refresh tokens of one grant, one after another. */
const REFRESHES = 19

export interface RacesOptions {
  readonly baseUrl: string
  /** The replicas; contenders are distributed over them. */
  readonly origins: readonly string[]
  readonly races: number
  readonly workers: number
  readonly tally: Tally
}

/** Presents every code and every refresh token at several replicas at once. */
export async function runRaces({ baseUrl, origins, races, workers, tally }: RacesOptions): Promise<void> {
  const connection = await connectionTo(baseUrl, origins, tally)
  const rounds = Math.ceil(races / (1 + REFRESHES) / workers)
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const installation = new Installation(connection, tally, user(baseUrl), baseUrl)
      await installation.register()
      for (let round = 0; round < rounds; round++) {
        await installation.raceForCode(origins.length)
        await installation.signIn()
        for (let race = 0; race < REFRESHES; race++) await installation.refresh(origins.length)
      }
    }),
  )
}
