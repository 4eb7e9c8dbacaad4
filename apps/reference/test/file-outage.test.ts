import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { run } from './program.ts'
import { type SignedIn, signedIn } from './tokens.ts'

/** A service on files of SQLite that cannot be written for a while. */

async function startedService() {
  const path = join(await temporaryFolder(), 'service.sqlite')
  const PORT = String(await freePort())
  const program = run('main.ts', [], { environment: { DATABASE_URL: `sqlite:${path}`, PORT } })
  onTestFinished(() => program.stop())
  await program.printed('Try next')
  const base = `http://127.0.0.1:${PORT}`
  const app = await signedIn(base, 'courses:read courses:write')
  return { path, grants: path.replace('.sqlite', '-grants.sqlite'), pid: program.pid, base, app }
}

const add = (base: string, app: SignedIn, title: string, description = '') =>
  fetch(`${base}/api/courses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title, description }),
    signal: AbortSignal.timeout(10_000),
  })
const statusOf = async (url: string) => (await fetch(url)).status
/** Waits for a write of the service to end. */
const lockable = (path: string) => new DatabaseSync(path, { timeout: 5000 })
/** The system limits the size of files that the process writes, as a full disk would. */
const limitFiles = (pid: number, bytes: string) =>
  promisify(execFile)('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
const titles = async (base: string, { access_token }: SignedIn) => {
  const answer = await fetch(`${base}/api/courses`, { headers: { authorization: `Bearer ${access_token}` } })
  const { items } = (await answer.json()) as { items: { title: string }[] }
  return items.map(({ title }) => title)
}

it('a file that another process keeps locked can be read, and is written again afterwards', async () => {
  const { path, base, app } = await startedService()
  const other = lockable(path)
  other.exec('BEGIN IMMEDIATE')
  const refused = await Promise.all(['One', 'Two', 'Three'].map((title) => add(base, app, title)))
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1', '1'])
  expect(await statusOf(`${base}/readyz`)).toBe(503)
  expect(await statusOf(`${base}/healthz`)).toBe(200)
  const before = await titles(base, app)
  other.exec('ROLLBACK')
  other.close()
  expect(await statusOf(`${base}/readyz`)).toBe(200)
  expect((await add(base, app, 'Four')).status).toBe(201)
  expect(await titles(base, app)).toEqual([...before, 'Four'])
})

it('is not ready while another process keeps the file of the grants locked', async () => {
  const { grants, base } = await startedService()
  const other = lockable(grants)
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
  const path = join(await temporaryFolder(), 'a.sqlite')
  const PORT = String(await freePort())
  const environment = {
    STORE_URL: STORE_URL || `sqlite:${path}`,
    DATABASE_URL: DATABASE_URL || `sqlite:${path}`,
    PORT,
  }
  const program = run('main.ts', [], { environment })
  onTestFinished(() => program.stop())
  await program.printed('Try next')
  const ready = () => statusOf(`http://127.0.0.1:${PORT}/readyz`)
  await limitFiles(program.pid, '4096')
  expect(await ready()).toBe(503)
  await limitFiles(program.pid, 'unlimited')
  expect(await ready()).toBe(200)
})

it('on a full disk nothing is written partially, and reads work', async () => {
  const { pid, base, app } = await startedService()
  const before = await titles(base, app)
  await limitFiles(pid, '4096')
  const refused = await add(base, app, 'Too much')
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }])
  expect(await titles(base, app)).toEqual(before)
  await limitFiles(pid, 'unlimited')
  expect((await add(base, app, 'Enough')).status).toBe(201)
  expect(await titles(base, app)).toEqual([...before, 'Enough'])
})
