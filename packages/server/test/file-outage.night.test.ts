import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { StartedProgram } from '@grantkit/test-servers/started-program'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { grantkitProgram } from './grantkit-program.ts'

/** A server on files of SQLite that cannot be written for a while. */

let folder: string
let server: StartedProgram
let api: string
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grantkit-file-outage-'))
  const program = grantkitProgram(folder, {
    DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
    ADMIN_API: 'on',
    CLIENT_CREDENTIALS: 'on',
  })
  server = await program.launch()
  api = `${server.url}/admin/api`
  const words = ['clients', 'add', '--name', 'Job', '--auth', 'client_secret_post', '--json']
  const job = ['--grant', 'client_credentials', '--scope', 'admin:read admin:write']
  const { client_id, client_secret } = JSON.parse(await program.run([...words, ...job]))
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id,
    client_secret,
    resource: api,
  })
  const { access_token } = await (
    await fetch(`${server.url}/api/oauth/token`, { method: 'POST', body })
  ).json()
  headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const add = (name: string) =>
  fetch(`${api}/users`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name, email: `${name}@example.com`, password: 'a long password' }),
    signal: AbortSignal.timeout(10_000),
  })
const statusOf = async (url: string) => (await fetch(url)).status
/** Waits for a write of the server to end. */
const lockable = (name: string) => new DatabaseSync(join(folder, name), { timeout: 5000 })
/** The system limits the size of files that the process writes, as a full disk would. */
const limitFiles = (pid: number, bytes: string) =>
  promisify(execFile)('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
async function names(): Promise<string[]> {
  const { items } = (await (await fetch(`${api}/users`, { headers })).json()) as { items: { name: string }[] }
  return items.map(({ name }) => name).sort()
}

it('a file that another process keeps locked can be read, and is written again afterwards', async () => {
  const other = lockable('service.sqlite')
  other.exec('BEGIN IMMEDIATE')
  const refused = await Promise.all(['one', 'two', 'three'].map(add))
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1', '1'])
  expect(await statusOf(`${server.url}/readyz`)).toBe(503)
  expect(await statusOf(`${server.url}/healthz`)).toBe(200)
  const before = await names()
  other.exec('ROLLBACK')
  other.close()
  expect(await statusOf(`${server.url}/readyz`)).toBe(200)
  expect((await add('four')).status).toBe(201)
  expect(await names()).toEqual([...before, 'four'])
})

it('is not ready while another process keeps the file of the grants locked', async () => {
  const other = lockable('service-grants.sqlite')
  other.exec('BEGIN IMMEDIATE')
  expect(await statusOf(`${server.url}/readyz`)).toBe(503)
  other.exec('ROLLBACK')
  other.close()
  expect(await statusOf(`${server.url}/readyz`)).toBe(200)
})

it.each([
  ['database', 'memory:', ''],
  ['grants', '', 'memory:'],
])('is not ready while the disk of the %s is full', async (_part, STORE_URL, DATABASE_URL) => {
  const url = `sqlite:${join(await temporaryFolder(), 'a.sqlite')}`
  const environment = { STORE_URL: STORE_URL || url, DATABASE_URL: DATABASE_URL || url }
  const program = await grantkitProgram(await temporaryFolder(), environment).start()
  const ready = () => statusOf(`${program.url}/readyz`)
  await limitFiles(program.pid, '4096')
  expect(await ready()).toBe(503)
  await limitFiles(program.pid, 'unlimited')
  expect(await ready()).toBe(200)
})

it('on a full disk nothing is written partially, and reads work', async () => {
  const before = await names()
  await limitFiles(server.pid, '4096')
  const refused = await add('too-much')
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }])
  expect(await names()).toEqual(before)
  await limitFiles(server.pid, 'unlimited')
  expect((await add('enough')).status).toBe(201)
  expect(await names()).toEqual(['enough', ...before])
})
