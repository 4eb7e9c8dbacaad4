import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { run } from './program.ts'
import { type SignedIn, signedIn } from './tokens.ts'

/** A service on files of SQLite that cannot be written for a while. */

/** The service in a process of its own. */
async function started(environment: Record<string, string>) {
  const PORT = String(await freePort())
  const program = run('main.ts', [], { environment: { ...environment, PORT } })
  await program.printed('Try next')
  return { ...program, base: `http://127.0.0.1:${PORT}` }
}

let folder: string
let service: Awaited<ReturnType<typeof started>>
let app: SignedIn
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grantkit-file-outage-'))
  service = await started({ DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}` })
  app = await signedIn(service.base, 'courses:read courses:write')
})
afterAll(async () => {
  service.stop()
  await service.ended
  await rm(folder, { recursive: true })
})

const add = (title: string) =>
  fetch(`${service.base}/api/courses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
    signal: AbortSignal.timeout(10_000),
  })
const statusOf = async (url: string) => (await fetch(url)).status
/** Waits for a write of the service to end. */
const lockable = (name: string) => new DatabaseSync(join(folder, name), { timeout: 5000 })
/** The system limits the size of files that the process writes, as a full disk would. */
const limitFiles = (pid: number, bytes: string) =>
  promisify(execFile)('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
const titles = async () => {
  const headers = { authorization: `Bearer ${app.access_token}` }
  const answer = await fetch(`${service.base}/api/courses`, { headers })
  const { items } = (await answer.json()) as { items: { title: string }[] }
  return items.map(({ title }) => title)
}

it('a file that another process keeps locked can be read, and is written again afterwards', async () => {
  const { base } = service
  const other = lockable('service.sqlite')
  other.exec('BEGIN IMMEDIATE')
  const refused = await Promise.all(['One', 'Two', 'Three'].map((title) => add(title)))
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1', '1'])
  expect(await statusOf(`${base}/readyz`)).toBe(503)
  expect(await statusOf(`${base}/healthz`)).toBe(200)
  const before = await titles()
  other.exec('ROLLBACK')
  other.close()
  expect(await statusOf(`${base}/readyz`)).toBe(200)
  expect((await add('Four')).status).toBe(201)
  expect(await titles()).toEqual([...before, 'Four'])
})

it('is not ready while another process keeps the file of the grants locked', async () => {
  const { base } = service
  const other = lockable('service-grants.sqlite')
  other.exec('BEGIN IMMEDIATE')
  expect(await statusOf(`${base}/readyz`)).toBe(503)
  other.exec('ROLLBACK')
  other.close()
  expect(await statusOf(`${base}/readyz`)).toBe(200)
})

it.each([
  ['database', 'memory:', ''],
  ['grants', '', 'memory:'],
])('is not ready while the disk of the %s is full', async (_part, STORE_URL, DATABASE_URL) => {
  const url = `sqlite:${join(await temporaryFolder(), 'a.sqlite')}`
  const program = await started({ STORE_URL: STORE_URL || url, DATABASE_URL: DATABASE_URL || url })
  onTestFinished(() => program.stop())
  const ready = () => statusOf(`${program.base}/readyz`)
  await limitFiles(program.pid, '4096')
  expect(await ready()).toBe(503)
  await limitFiles(program.pid, 'unlimited')
  expect(await ready()).toBe(200)
})

it('on a full disk nothing is written partially, and reads work', async () => {
  const { pid } = service
  const before = await titles()
  await limitFiles(pid, '4096')
  const refused = await add('Too much')
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }])
  expect(await titles()).toEqual(before)
  await limitFiles(pid, 'unlimited')
  expect((await add('Enough')).status).toBe(201)
  expect(await titles()).toEqual([...before, 'Enough'])
})
