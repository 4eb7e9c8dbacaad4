import { setTimeout as sleep } from 'node:timers/promises'
import { describeEngine } from '../test/engine.ts'

const { DATABASE_URL = '', ENGINE = 'the engine', KILL_SECONDS } = process.env
if (DATABASE_URL === '') throw new Error('Set DATABASE_URL to a database of the engine')

async function waitForKill(): Promise<void> {
  console.info(`Kill a node of ${ENGINE} now, and start it again: counting for ${KILL_SECONDS} seconds`)
  await sleep(1000 * Number(KILL_SECONDS))
}

describeEngine(ENGINE, {
  url: () => DATABASE_URL,
  killNode: KILL_SECONDS === undefined ? undefined : waitForKill,
})
