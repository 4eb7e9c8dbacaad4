import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { freePort } from '@grantkit/test-servers/free-port'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../src/config/read-config.ts'
import { ranCommand } from './ran-command.ts'

/** The program, run as a person runs it in an empty folder. */

const BIN = join(import.meta.dirname, '../src/bin.ts')
const ADA = { email: 'ada@notes.example', password: 'correct horse battery' }
const REDIRECT_URI = 'https://notes.example/callback'

let folder: string
let port: number
let origin: string
let server: ChildProcess
beforeAll(async () => {
  port = await freePort()
  folder = await mkdtemp(join(tmpdir(), 'grantkit-'))
  origin = `http://127.0.0.1:${port}`
  await grantkit('init', '--yes', '--name', 'Notes', '--url', origin)
  await grantkit('keys', 'rotate')
  server = await start()
})
afterAll(async () => {
  await stop(server)
  await rm(folder, { recursive: true })
})

function launch(words: readonly string[]) {
  return spawn(process.execPath, [BIN, ...words], {
    cwd: folder,
    env: PROGRAM_ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

async function grantkit(...words: string[]): Promise<string> {
  const program = launch(words)
  program.stdin.end(`${ADA.password}\n`)
  const [output, faults, [status]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close'),
  ])
  expect(status, output + faults).toBe(0)
  return output
}

let printed = ''
async function start(): Promise<ChildProcess> {
  const program = launch(['start'])
  printed = ''
  program.stdout.on('data', (chunk) => {
    printed += String(chunk)
  })
  const tooEarly = once(program, 'close').then(() =>
    Promise.reject(new Error(`It ended and printed ${printed}`)),
  )
  tooEarly.catch(() => {})
  while (!printed.includes('/.well-known/')) await Promise.race([once(program.stdout, 'data'), tooEarly])
  return program
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return
  program.kill('SIGINT')
  await once(program, 'close')
}

it('starts, says how to add the first user, and keeps users and clients over a restart', async () => {
  expect(printed).toContain('There are no users yet: npx grantkit users add')
  await grantkit('users', 'add', '--email', ADA.email, '--name', 'Ada')
  const json = await grantkit('clients', 'add', '--name', 'Notes', '--redirect-uri', REDIRECT_URI, '--json')
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(json)
  const client = { clientId, clientSecret, redirectUris: [REDIRECT_URI] }
  const signIn = async () => {
    const browser = formBrowser({ origin, typed: ADA })
    return (await testClient(origin, { client, browser })).tokens('openid')
  }
  await signIn()
  await stop(server)
  server = await start()
  expect(printed).not.toContain('no users')
  expect(await signIn()).toMatchObject({ id_token: expect.any(String) })
})

it('check shows what runs, wherever it is called, and creates no file', async () => {
  const before = readdirSync(folder)
  const file = join(folder, 'grantkit.config.ts')
  const output = await grantkit('check', '--config', file)
  expect(output).toContain(`Configuration  ${file}\n`)
  expect(output).toContain(`Address        ${origin}, listening on 127.0.0.1:${port}\n`)
  expect(output).toContain('The configuration is valid.')
  expect(readdirSync(folder)).toEqual(before)
})

it('check ends with 1, and names every problem', async () => {
  writeFileSync(join(folder, 'wrong.json'), '{ "featurs": {}, "port": "x" }')
  const program = launch(['check', '--config=wrong.json'])
  const [faults, [status]] = await Promise.all([text(program.stderr), once(program, 'close')])
  expect(status).toBe(1)
  expect(faults).toContain('port must be a number, not "x"')
  expect(faults).toContain('featurs is unknown: did you mean features?')
})

it('doctor examines the running server', async () => {
  expect(await grantkit('doctor', '--no-register')).toMatch(/\d+ passed, 0 failed/)
})

it('a command that reads changes no record', async () => {
  await stop(server)
  const before = records()
  const configured = await readConfig({ file: join(folder, 'grantkit.config.ts'), environment: {} })
  for (const words of ['users list', 'clients list', `grants list ${ADA.email}`, 'trail list', 'overview'])
    expect(await ranCommand(configured, words.split(' ')), words).toMatchObject({ status: 0 })
  expect(records()).toEqual(before)
})

/** Without the counters that a probe writes, to find out whether the file can be written. */
function records(): unknown[] {
  return ['data/service.sqlite', 'data/service-grants.sqlite'].flatMap((file) => {
    const database = new DatabaseSync(join(folder, file), { readOnly: true })
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const names = tables.map(({ name }) => String(name)).filter((name) => !name.endsWith('probe'))
    const rows = names.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()])
    database.close()
    return rows
  })
}
