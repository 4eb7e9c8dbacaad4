import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { describe, expect, it, vi } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { type CountQuery, readCounts, statistics } from '../src/statistics/statistics.ts'
import { connected } from './connected.ts'
import { runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** A minute at the beginning of a day. */
const MIDNIGHT = Math.floor(Date.UTC(2026, 10, 22) / 60_000)
const KEPT = { type: 'refresh_token_kept', clientId: 'a', grantId: 'b', subject: 'c' } as never
const LAST_HOUR: CountQuery = { name: 'event', resolution: 1, step: 1, since: MIDNIGHT }

/** Statistics of one replica, with a clock. */
function replica(database: Database, warnings: string[] = []) {
  let minute = MIDNIGHT
  const onWarning = (warning: string) => warnings.push(warning)
  const counted = statistics(database, { onWarning, now: () => minute * 60_000 })
  return { counted, at: (minutes: number) => (minute = MIDNIGHT + minutes) }
}

onEachDatabase((newDatabase) => {
  describe('the statistics', () => {
    it('add up the counts of all replicas, by minutes, by ten minutes and by hours', async () => {
      const database = await connected(await newDatabase())
      const [one, other] = [replica(database), replica(database)]
      for (const minute of [0, 0, 1, 12]) {
        one.at(minute)
        one.counted.onEvent(KEPT)
      }
      other.counted.onEvent(KEPT)
      await Promise.all([one.counted.close(), other.counted.close()])
      const read = async (query: Partial<CountQuery>) =>
        (await readCounts(database, { ...LAST_HOUR, ...query })).map(({ start, count }) => [
          start - MIDNIGHT,
          count,
        ])
      expect(await read({})).toEqual([
        [0, 3],
        [1, 1],
        [12, 1],
      ])
      expect(await read({ since: MIDNIGHT + 1, step: 5 })).toEqual([
        [0, 1],
        [10, 1],
      ])
      expect(await read({ resolution: 10, step: 10 })).toEqual([
        [0, 4],
        [10, 1],
      ])
      expect(await read({ resolution: 60, step: 60 })).toEqual([[0, 5]])
    })

    it('keep what they count during an outage of the database, and report it once', async () => {
      const database = await connected(await newDatabase())
      const warnings: string[] = []
      const { counted } = replica(database, warnings)
      await database.schema.alterTable('statistic').renameTo('away').execute()
      counted.onEvent(KEPT)
      await counted.flush()
      counted.onEvent(KEPT)
      await counted.flush()
      await database.schema.alterTable('away').renameTo('statistic').execute()
      await counted.close()
      expect(warnings).toEqual([expect.stringContaining('waits for its database')])
      expect(await readCounts(database, LAST_HOUR)).toEqual([
        { start: MIDNIGHT, label: 'refresh_token_kept', bucket: 0, count: 2 },
      ])
    })

    it('are written every minute, and minutes are deleted after three hours', async () => {
      vi.useFakeTimers({ toFake: ['setInterval'] })
      const database = await connected(await newDatabase())
      const { counted, at } = replica(database)
      counted.onEvent(KEPT)
      at(200)
      counted.onEvent(KEPT)
      await vi.advanceTimersByTimeAsync(60_000)
      vi.useRealTimers()
      const starts = async () => (await readCounts(database, LAST_HOUR)).map(({ start }) => start - MIDNIGHT)
      await expect.poll(starts).toEqual([200])
      expect((await readCounts(database, { ...LAST_HOUR, resolution: 10, step: 10 })).length).toBe(2)
      await counted.close()
    })

    it('have every response of a server by its route, errors by their reason, and no input of a caller', async () => {
      const url = await newDatabase()
      const server = await runServer({ DATABASE_URL: url })
      await signedIn(server.baseUrl, 'notes:read')
      const body = new URLSearchParams({ grant_type: 'x' })
      await fetch(`${server.baseUrl}/api/oauth/token`, { method: 'POST', body })
      await fetch(`${server.baseUrl}/secret-path`, { method: 'PROPFIND' })
      await server.close()
      const database = await connected(url)
      const labels = async (name: CountQuery['name']) =>
        new Set((await readCounts(database, { ...LAST_HOUR, name, since: 0 })).map(({ label }) => label))
      expect(await labels('event')).toContain('consent_granted')
      expect(await labels('reason')).toEqual(new Set(['client_not_identified']))
      const routes = await labels('response')
      expect(routes).toContain('POST /api/oauth/token')
      expect(routes).toContain('POST /login')
      expect([...routes].filter((route) => /secret|PROPFIND/.test(route))).toEqual([])
    })
  })
})
