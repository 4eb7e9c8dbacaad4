import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { run } from './program.ts'
import { signedIn } from './tokens.ts'

/** Two processes of the service on one database. One of them is stopped, as a paused container is, and goes on. */

const WINDOW_SECONDS = 6
const FROZEN_MS = 13_000
const APPS = 4

async function started(database: string) {
  const PORT = String(await freePort())
  const environment = { DATABASE_URL: `sqlite:${database}`, PORT, REFRESH_RETRY_WINDOW: `${WINDOW_SECONDS}` }
  const { printed, pid, stop, ended } = run('main.ts', [], { environment })
  onTestFinished(async () => {
    stop('SIGTERM')
    await ended
  })
  await printed('Try next')
  return { base: `http://127.0.0.1:${PORT}`, pid }
}

function refresh(base: string, app: { client_id: string; refresh_token: string }, milliseconds?: number) {
  const { client_id, refresh_token } = app
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
  const signal = milliseconds === undefined ? null : AbortSignal.timeout(milliseconds)
  return fetch(`${base}/api/oauth/token`, { method: 'POST', body, signal })
}

async function refreshed<App extends { client_id: string; refresh_token: string }>(base: string, app: App) {
  const answer = await refresh(base, app)
  expect(answer.status).toBe(200)
  return { ...app, ...((await answer.json()) as { refresh_token: string }) }
}

it('no app loses its grant when a process reads its request after the retry window', async () => {
  const database = join(await temporaryFolder(), 'service.sqlite')
  const awake = await started(database)
  const frozen = await started(database)
  const apps = await Promise.all(Array.from({ length: APPS }, () => signedIn(awake.base, 'courses:read')))
  // Its connections are open, and its code is warm.
  for (const [index, app] of apps.entries()) apps[index] = await refreshed(frozen.base, app)
  const stoppedAt = Date.now()
  process.kill(frozen.pid, 'SIGSTOP')
  try {
    // Each app gives up, and refreshes twice at the other process.
    await Promise.all(apps.map((app) => expect(refresh(frozen.base, app, 1000)).rejects.toThrow('timeout')))
    for (const [index, app] of apps.entries())
      apps[index] = await refreshed(awake.base, await refreshed(awake.base, app))
    await sleep(stoppedAt + FROZEN_MS - Date.now())
  } finally {
    process.kill(frozen.pid, 'SIGCONT')
  }
  expect((await fetch(`${frozen.base}/readyz`)).status).toBe(200)
  // It has read what waited.
  await sleep(1000)
  for (const app of apps) await refreshed(awake.base, app)
}, 120_000)
