import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import { type CountQuery, type IntervalCount, readCounts } from './statistic-rows.ts'
import type { Statistics } from './statistics.ts'

/** Reads counts, including the latest ones of this replica. @throws OAuthError `temporarily_unavailable` */
export interface StatisticsReader {
  read(query: CountQuery): Promise<readonly IntervalCount[]>
}

export function statisticsReader(
  database: Database,
  statistics: Pick<Statistics, 'flush'>,
): StatisticsReader {
  return errorsAs503<StatisticsReader>({
    async read(query) {
      await statistics.flush()
      return readCounts(database, query)
    },
  })
}
