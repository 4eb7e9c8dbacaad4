import type { StatisticsReader } from '../statistics/statistics-reader.ts'
import type { TimeRange } from './time-range.ts'

/** How often each known client was refused because it is off: by its id, the most frequent first. */
export type KnownClientRefusals = Readonly<Record<string, number>>

/** @param since minutes since the epoch */
export async function knownClientRefusals(
  statistics: StatisticsReader,
  { resolution, step, since }: Pick<TimeRange, 'resolution' | 'step'> & { readonly since: number },
): Promise<KnownClientRefusals> {
  const counts = await statistics.read({ name: 'known_client_off', resolution, step, since })
  const byClient = Map.groupBy(counts, ({ label }) => label)
  const totals = [...byClient].map(
    ([id, some]) => [id, some.reduce((sum, { count }) => sum + count, 0)] as const,
  )
  return Object.fromEntries(totals.sort(([, one], [, other]) => other - one))
}
