import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readCommandLine } from '@grantkit/reference/command-line'
import { DEMO_ACCOUNTS } from '@grantkit/reference/demo-accounts'
import { writeAccounts } from '@grantkit/reference/test/accounts-file'
import { run } from '@grantkit/reference/test/program'
import { user } from '@grantkit/reference/test/user'
import { freePort } from '@grantkit/test-servers/free-port'
import { overFetch, type Send, testClient } from '@grantkit/testkit/client'

/**
 * `pnpm --dir proof sign-ins`: 600 people sign in at once, each from a network of their own, while an app refreshes and gets ID
 * tokens. Prints how the people were answered and how long the app waited. Exits with 1 above the limit.
 */

readCommandLine(
  'pnpm --dir proof sign-ins\n\nTakes about a minute, and ends with 1 when the app waits longer than it may.',
  {},
)

const PEOPLE = 600
const LIMIT_MS = 300
const PAUSE_MS = 10

/** The same for everybody. A hash of a demo account costs as much as every hash of the server. */
const [{ account, publicPassword: PASSWORD }] = DEMO_ACCOUNTS

const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const folder = await mkdtemp(join(tmpdir(), 'grantkit-sign-ins-'))
const ACCOUNTS_FILE = join(folder, 'accounts.json')
await writeAccounts(ACCOUNTS_FILE, accounts())
const environment = {
  PORT: String(port),
  ACCOUNTS_FILE,
  TRUST_PROXY: 'loopback',
  LOG_LEVEL: 'silent',
  DATABASE_URL: 'memory:',
}
const service = run('main.ts', [], { environment })
const send = overFetch({ timeout: 120_000 })
try {
  await service.printed(baseUrl)
  const refresh = await refreshingApp()
  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => formOf(n)))
  const begun = performance.now()
  let over = false
  const signIns = Promise.all(people.map((signIn) => signIn())).finally(() => {
    over = true
  })
  const waits: number[] = []
  while (!over) {
    waits.push(await duration(refresh))
    await sleep(PAUSE_MS)
  }
  report(await signIns, performance.now() - begun, waits)
} finally {
  service.stop()
  await rm(folder, { recursive: true })
}

function accounts() {
  const given = { email_verified: true, updated_at: 1_767_225_600, password: account.password }
  return Array.from({ length: PEOPLE }, (_, n) => ({
    ...given,
    id: `${n}`,
    email: emailOf(n),
    name: `Person ${n}`,
  }))
}

function emailOf(person: number): string {
  return `person-${person}@example.com`
}

/** An app with a user; each call is a refresh that yields an ID token. */
async function refreshingApp(): Promise<() => Promise<void>> {
  const app = await testClient(baseUrl, { browser: user(baseUrl, emailOf(0), PASSWORD), send })
  let { refresh_token } = await app.tokens('openid courses:read')
  return async () => {
    const answer = await app.refresh(refresh_token)
    if (answer.id_token === undefined) throw new Error(`No ID token: ${answer.status}`)
    refresh_token = String(answer.refresh_token)
  }
}

/** Opens the sign-in page. @returns what sends the form, and resolves with the status of the answer */
async function formOf(person: number): Promise<() => Promise<number>> {
  const address = `198.18.${person >> 8}.${person & 255}`
  const from = (method: Parameters<Send>[1]['method'], body = '', headers: Record<string, string> = {}) =>
    send(`${baseUrl}/login`, { method, body, headers: { 'x-forwarded-for': address, ...headers } })
  const page = await from('GET')
  const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const [cookie = ''] = [page.headers['set-cookie'] ?? []].flat()
  const fields = { token, email: emailOf(person), password: PASSWORD }
  const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: cookie.split(';')[0] ?? '' }
  return async () => (await from('POST', String(new URLSearchParams(fields)), headers)).status
}

async function duration(request: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await request()
  return performance.now() - begun
}

function report(statuses: readonly number[], milliseconds: number, waits: readonly number[]): void {
  const sorted = waits.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const count = (status: number) => statuses.filter((each) => each === status).length
  console.log(
    `${PEOPLE} sign-ins in ${Math.round(milliseconds)} ms: ${count(303)} signed in, ${count(429)} told to wait`,
  )
  const [median, p99, longest] = [at(0.5), at(0.99), at(1)].map(Math.round)
  console.log(
    `${waits.length} refreshes with an ID token meanwhile: median ${median} ms, p99 ${p99} ms, longest ${longest} ms`,
  )
  if (at(0.99) > LIMIT_MS) process.exitCode = 1
}
