import type { RunStatement } from './run-statement.ts'
import { STEP, type Statements } from './statements.ts'

const SECONDS_PER_DAY = 86_400

/**
 * Deletes the rows that ended before today (UTC), in small steps that leave out what others write. No reader sees an
 * expired record in any case.
 *
 * @param now epoch seconds
 * @returns the number of rows
 */
export async function sweep(run: RunStatement, tables: readonly Statements[], now: number): Promise<number> {
  const today = Math.floor(now / SECONDS_PER_DAY)
  let swept = 0
  for (const { sweep } of tables) {
    let count = STEP
    while (count === STEP) {
      ;({ count } = await run(sweep, [today]))
      swept += count
    }
  }
  return swept
}

const INTERVAL_MS = 60_000

/**
 * Calls `work` about once a minute, at random moments, so that replicas do not sweep all at once. It keeps no process
 * alive.
 *
 * @returns stops it
 */
export function onceAMinute(work: () => Promise<unknown>): () => void {
  let stopped = false
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return setTimeout(turn, INTERVAL_MS * (0.5 + Math.random())).unref()
  }

  async function turn(): Promise<void> {
    // Nobody waits for this one, and the next one finds the same rows. A server out of reach shows at every request.
    await work().catch(() => {})
    if (!stopped) timer = schedule()
  }

  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
