import { setImmediate as breath } from 'node:timers/promises'
import { formBrowser, overFetch, type Send, testClient } from '@grantkit/testkit/client'
import { expect, it, onTestFinished } from 'vitest'
import { THEO } from './people.ts'
import { runServer } from './running-server.ts'

const REQUESTS = 100_000
const NETWORKS = 1000
/** Before each request of the user. */
const IN_BETWEEN = 10_000
/** Rows in a minute without a user. */
const ROWS = 20

it(`${REQUESTS} refused requests from ${NETWORKS} networks leave the attempt of a user readable, and few rows`, async () => {
  const server = await runServer({ RATE_LIMITS: 'off' })
  onTestFinished(() => server.close())
  const authorize = server.routes.find(({ path }) => path === '/oauth/authorize')
  let sent = 0
  const flood = async (count: number) => {
    for (const end = sent + count; sent < end; sent++) {
      const query = `client_id=app_${sent}&response_type=code&code_challenge=${String(sent).padStart(43, 'x')}`
      const request = { method: 'GET', path: '/oauth/authorize', query, headers: {}, body: '' }
      const remoteAddress = `10.${sent % 8}.${sent % 125}.${sent % 199}`
      await authorize?.handle({ ...request, remoteAddress })
      // Otherwise the browser does not notice that the server has closed an idle connection.
      if (sent % 100 === 0) await breath()
    }
  }
  const started = Date.now()
  const send: Send = async (url, request) => {
    await flood(IN_BETWEEN)
    return overFetch()(url, request)
  }
  const typed = { email: THEO.email ?? '', password: 'teacher' }
  const browser = formBrowser({ origin: server.baseUrl, typed, send })
  await (await testClient(server.baseUrl, { browser })).approve('notes:read')
  await flood(REQUESTS - sent)

  const [attempt] = await server.attempts.latest({ subject: THEO.id }, 1)
  const found = await server.attempts.find(attempt?.reference ?? '')
  expect(found?.steps.map(({ step }) => step)).toEqual([
    ...['requested', 'client_found', 'sign_in_shown'],
    ...['requested', 'client_found', 'signed_in', 'consent_shown'],
    ...['client_found', 'allowed', 'sent_back'],
  ])
  expect(server.recording.inMemory(attempt?.reference ?? '')).toHaveLength(found?.steps.length ?? 0)
  const rows = await server.database.selectFrom('attempt_steps').select('subject').execute()
  const minutes = Math.ceil((Date.now() - started) / 60_000) + 1
  const unauthenticated = rows.filter(({ subject }) => subject === null)
  expect(unauthenticated.length).toBeGreaterThan(0)
  expect(unauthenticated.length).toBeLessThanOrEqual(minutes * ROWS)
}, 300_000)
