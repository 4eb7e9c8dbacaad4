import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { grantkitProgram } from './grantkit-program.ts'
import { signedIn } from './signed-in-browser.ts'

/** Two processes of the server on one database. One of them is stopped, as a paused container is, and goes on. */

const WINDOW_SECONDS = 6
const FROZEN_MS = 13_000
const APPS = 4
/** Of a user: their password, and the name in their address. */
const [NAME, PASSWORD] = ['ada', 'correct horse']

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
  const program = grantkitProgram(await temporaryFolder(), {
    REFRESH_RETRY_WINDOW: `${WINDOW_SECONDS}`,
  })
  const awake = await program.start()
  const frozen = await program.start()
  await program.run(['users', 'add', '--email', `${NAME}@example.com`, '--name', 'Ada'], `${PASSWORD}\n`)
  const newApp = () => signedIn(awake.url, 'openid', undefined, `${NAME}:${PASSWORD}`)
  const apps = await Promise.all(Array.from({ length: APPS }, newApp))
  // Its connections are open, and its code is warm.
  for (const [index, app] of apps.entries()) apps[index] = await refreshed(frozen.url, app)
  const stoppedAt = Date.now()
  process.kill(frozen.pid, 'SIGSTOP')
  try {
    // Each app gives up, and refreshes twice at the other process.
    await Promise.all(apps.map((app) => expect(refresh(frozen.url, app, 1000)).rejects.toThrow('timeout')))
    for (const [index, app] of apps.entries())
      apps[index] = await refreshed(awake.url, await refreshed(awake.url, app))
    await sleep(stoppedAt + FROZEN_MS - Date.now())
  } finally {
    process.kill(frozen.pid, 'SIGCONT')
  }
  expect((await fetch(`${frozen.url}/readyz`)).status).toBe(200)
  // It has read what waited.
  await sleep(1000)
  for (const app of apps) await refreshed(awake.url, app)
}, 120_000)
