import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVictim, type Victim } from './victim/victim.ts'

const BIN = join(import.meta.dirname, '../src/bin.ts')
let victim: Victim
let folder: string

beforeAll(async () => {
  victim = await startVictim({ fault: 2 })
  folder = await mkdtemp(join(tmpdir(), 'torture-'))
})
afterAll(async () => {
  await victim.close()
  await rm(folder, { recursive: true })
})

interface Ended {
  readonly code: number
  readonly output: string
}

function run(...given: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...given], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
    )
  })
}

/** A command starts a process for each grant, so there are fewer of them. */
const FEW = ['--grants', '10']
const race = (...given: readonly string[]) =>
  run(victim.issuer, '--only', 'refresh-twice', '--rate', '500', ...given)
const FINDING = 'refresh-twice: A refresh token has one successor'

describe.concurrent('the command finds a fault', () => {
  test('by a command that brings the callback', async () => {
    const script = join(folder, 'authorize.mjs')
    await writeFile(
      script,
      `const headers = { cookie: 'user=ada' }
       const answer = await fetch(process.argv[2], { headers, redirect: 'manual' })
       console.log(answer.headers.get('location'))`,
    )
    const { code, output } = await race(
      '--client',
      'app',
      '--authorize',
      `${process.execPath} ${script}`,
      ...FEW,
    )
    expect(output).toContain(FINDING)
    expect(code).toBe(1)
  })

  test('with refresh tokens that their owner supplies', async () => {
    const tokens = await Promise.all(Array.from({ length: 16 }, () => newRefreshToken()))
    const file = join(folder, 'tokens.txt')
    await writeFile(file, tokens.join('\n'))
    const { code, output } = await race('--client', 'app', '--tokens', file)
    expect(output).toContain(FINDING)
    expect(code).toBe(1)
  })

  test('with devices that a command approves, and a confidential client', async () => {
    const script = join(folder, 'approve.mjs')
    await writeFile(
      script,
      `const url = '${victim.issuer}/device?user_code=' + process.env.USER_CODE
       await fetch(url, { method: 'POST', headers: { cookie: 'user=ada' } })`,
    )
    const { code, output } = await race(
      '--client',
      'web:secret',
      '--approve',
      `${process.execPath} ${script}`,
      ...FEW,
    )
    expect(output).toContain(FINDING)
    expect(code).toBe(1)
  })

  test('and again in the history that it wrote, which has no secret', async () => {
    const file = join(folder, 'history.ndjson')
    await race('--client', 'app', '--cookie', 'user=ada', '--history', file)
    expect(await readFile(file, 'utf8')).not.toMatch(/user=ada|(code|rt|at)\.[\da-f]{8}-/)
    const { code, output } = await run('check', file, '--only', 'refresh-twice')
    expect(output).toContain(FINDING)
    expect(code).toBe(1)
  })
})

describe('the command ends with 2', () => {
  test('for a public host that nobody names', async () => {
    const { code, output } = await run('http://203.0.113.9', '--client', 'app', '--cookie', 'a=b')
    expect(output).toContain('203.0.113.9 is a public host')
    expect(code).toBe(2)
  })

  test('for a user who is not signed in', async () => {
    const { code, output } = await race('--client', 'app', '--cookie', 'a=b')
    expect(output).toContain('The callback has no code: login_required.')
    expect(code).toBe(2)
  })
})

test('a dry run sends no request for a grant', async () => {
  const { code, output } = await race('--client', 'app', '--cookie', 'user=ada', '--dry-run')
  expect(output).toContain('At most 12 grants and 132 requests.')
  expect(code).toBe(0)
})

async function newRefreshToken(): Promise<string> {
  const verifier = 'a verifier of the test that is long enough for PKCE'
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: 'app', redirect_uri: 'http://127.0.0.1/callback' },
    ...{ code_challenge_method: 'S256', code_challenge: Buffer.from(digest).toString('base64url') },
  })
  const headers = { cookie: 'user=ada' }
  const answer = await fetch(`${victim.issuer}/authorize?${query}`, { headers, redirect: 'manual' })
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const fields = { grant_type: 'authorization_code', client_id: 'app', code, code_verifier: verifier }
  const tokens = await fetch(`${victim.issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })
  return ((await tokens.json()) as { refresh_token: string }).refresh_token
}
