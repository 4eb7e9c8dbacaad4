import { diagnose, sendByFetch } from '@grantkit/doctor'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DANA, THEO } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { appOf, browserOf } from './signed-in-browser.ts'

/** From a request that fails to what its operator reads: over HTTP, and by the command. */

const SHOWN = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/
const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

let server: RunningServer
let operator: Awaited<ReturnType<typeof browserOf>>
beforeAll(async () => {
  // The record of a minute begins when a test says so.
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  server = await runServer()
  await server.accounts.setAdmin(DANA.id, true)
  operator = await browserOf(server, 'demo')
})
afterAll(async () => {
  await server.close()
  vi.useRealTimers()
})

/** What `grantkit why` prints. It has the database in common with the server, and not its memory. */
async function why(...words: string[]): Promise<string> {
  await server.recording.flush()
  return (await ranCommand(server, ['why', ...words])).output
}

function authorizationPath(clientId: string, parameters: Readonly<Record<string, string>> = {}): string {
  const request = { response_type: 'code', code_challenge: CHALLENGE, code_challenge_method: 'S256' }
  const client = { client_id: clientId, redirect_uri: REDIRECT_URI, scope: 'notes:read', state: 'a state' }
  return `/oauth/authorize?${new URLSearchParams({ ...request, ...client, ...parameters })}`
}

const authorize = (clientId: string, parameters = {}, { baseUrl } = server) =>
  fetch(baseUrl + authorizationPath(clientId, parameters), { redirect: 'manual' })

async function redeemWrongCode(clientId: string, { baseUrl } = server) {
  const exchange = { grant_type: 'authorization_code', code: 'wrong', redirect_uri: REDIRECT_URI }
  const body = new URLSearchParams({ ...exchange, client_id: clientId, code_verifier: 'x'.repeat(43) })
  return fetch(`${baseUrl}/api/oauth/token`, { method: 'POST', body })
}

async function register({ baseUrl } = server): Promise<string> {
  const body = JSON.stringify({ client_name: 'A tool', redirect_uris: [REDIRECT_URI] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}/api/oauth/register`, { method: 'POST', headers, body })
  return (await answer.json()).client_id
}

const referenceIn = (text: string) => SHOWN.exec(text)?.[0] ?? `none in ${text}`

describe('a request that is refused', () => {
  it('shows a reference on its page, and the command and the operator read the verdict and the steps by it', async () => {
    const reference = referenceIn(await (await authorize('gone')).text())
    const printed = await why(reference)
    expect(printed).toMatch(/^[-0-9A-Z]{9} {2}The app uses a client_id that does not exist here/)
    expect(printed).toMatch(/client_found refused .*reason client_unknown.* replica [0-9a-f]{6}/)
    const { status, text } = await operator(`/admin/why/${reference}`)
    expect([status, text]).toEqual([200, expect.stringContaining('that does not exist here')])
    expect(text).toMatch(/The client was looked up/)
    const { html } = await operator('/admin/why')
    expect(html).toMatch(/<option[^>]*>The app uses a client_id that does/)
  })

  it('shows it in the body of an error, at the end of its description and in a header', async () => {
    const answer = await redeemWrongCode(await register())
    const { reference, error_description: description } = await answer.json()
    expect(description).toMatch(new RegExp(`\\(ref ${reference}\\)$`))
    expect(answer.headers.get('grantkit-reference')).toBe(reference)
    expect(await why(reference)).toContain('reason code_unknown')
    const json = JSON.parse(await why(reference, '--json'))
    expect(json).toMatchObject({
      reference,
      steps: [{ reference }],
      verdict: { id: 'code_unknown' },
      keptIn: 'database',
      client: { clientName: 'A tool' },
    })
  })
})

describe('a user who allows an app that never redeems its code', () => {
  let clientId: string
  beforeAll(async () => {
    const client = await appOf(server, 'teacher')
    clientId = client.clientId
    await client.approve('notes:read')
    vi.setSystemTime(Date.now() + 61_000)
  })

  it('is in the lists of its client, its user and the failures', async () => {
    const line = /^[-0-9A-Z]{9} {2}\S+ {2}code_not_redeemed {2}client (\S+) {2}user teacher-account$/m
    expect(line.exec(await why('--client', clientId))?.[1]).toBe(clientId)
    expect(await why('--user', 'teacher@example.com')).toMatch(line)
    expect(await why('--user', THEO.id, '--failed', '--last', '1')).toMatch(line)
    expect((await operator(`/admin/why?client=${clientId}`)).text).toContain('the code never came back')
  })

  it('is a JSON line, with every step', async () => {
    const listed = JSON.parse(await why('--client', clientId, '--json'))
    expect(listed.reference).toMatch(SHOWN)
    const steps = listed.steps.map(({ step }: { step: string }) => step)
    expect(steps).toEqual(expect.arrayContaining(['requested', 'signed_in', 'allowed', 'sent_back']))
    expect(listed.steps).toContainEqual(
      expect.objectContaining({ step: 'signed_in', signedInBy: 'password' }),
    )
    expect(await why('--client', 'nobody')).toBe('There are no such sign-ins.')
  })
})

it('an app that gets its tokens, for an API elsewhere, is no failure', async () => {
  const client = await appOf(server, 'teacher')
  await client.tokens('notes:read')
  vi.setSystemTime(Date.now() + 600_000)
  expect(await why('--client', client.clientId)).toContain('tokens_issued')
  expect(await why('--client', client.clientId, '--failed')).toBe('There are no such sign-ins.')
})

it('an app that gets its tokens for a guard of this process is a failure until it calls that', async () => {
  const own = await runServer({ ADMIN_API: 'on' })
  const console = { clientName: 'Console', redirectUris: ['http://127.0.0.1:7001/callback'] }
  const added = await own.clients.add({ ...console, tokenEndpointAuthMethod: 'none', scopes: ['admin:read'] })
  const client = await appOf(own, 'teacher', { client: added })
  const { access_token } = await client.tokens('admin:read', { resource: `${own.baseUrl}/admin/api` })
  vi.setSystemTime(Date.now() + 600_000)
  const verdict = async () =>
    (await own.attempts.latest({ clientId: client.clientId }, 1)).map((attempt) => attempt.verdict.id)
  expect(await verdict()).toEqual(['token_not_used'])
  const headers = { authorization: `Bearer ${access_token}` }
  await fetch(`${own.baseUrl}/admin/api/users`, { headers })
  expect(await verdict()).toEqual(['succeeded'])
  await own.close()
})

it('what the doctor caused is marked, by the command and on the page', async () => {
  const examined = await runServer()
  onTestFinished(() => examined.close())
  await examined.accounts.setAdmin(DANA.id, true)
  await diagnose(examined.baseUrl, sendByFetch)
  await examined.recording.flush()
  const lines = (await ranCommand(examined, ['why', '--failed'])).output.split('\n')
  expect(lines.length, lines.join('\n')).toBeGreaterThan(4)
  expect(lines.filter((line) => !line.endsWith('  probe of the doctor'))).toEqual([])
  const { text } = await (await browserOf(examined, 'demo'))('/admin/why')
  expect(text.split('probe of the doctor').length - 1, text).toBeGreaterThanOrEqual(lines.length)
})

describe('an attempt without a user and without an error', () => {
  it('is a registration that no request followed', async () => {
    const clientId = await register()
    expect(await why('--client', clientId)).toBe('There are no such sign-ins.')
    await vi.advanceTimersByTimeAsync(11 * 60_000)
    expect(await why('--client', clientId, '--failed')).toContain('  never_requested  client ')
    const { text } = await operator(`/admin/why?client=${clientId}`)
    expect(text).toContain('The app registered, and sent no authorization request.')
  })

  it('is a sign-in page that comes again and again, as the cookie is lost', async () => {
    const clientId = await register()
    for (const _ of ['first', 'second', 'third']) await authorize(clientId)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await why('--client', clientId)).toContain('sign_in_repeated')
    expect((await operator(`/admin/why?client=${clientId}`)).text).toContain('again and again')
  })
})

describe('a refusal of which no row is kept', () => {
  it('is unknown to another process: its log has the reference', async () => {
    const elsewhere = await runServer({ SECRET: 'the secret that both replicas have' })
    const here = await runServer({ SECRET: 'the secret that both replicas have' })
    await here.accounts.setAdmin(DANA.id, true)
    const reference = referenceIn(await (await authorize('gone', {}, elsewhere)).text())
    expect(await here.attempts.find(reference)).toBeUndefined()
    const { status, text } = await (await browserOf(here, 'demo'))(`/admin/why/${reference}`)
    expect([status, text]).toEqual([404, expect.stringContaining('the log of that process')])
    await Promise.all([elsewhere.close(), here.close()])
  })
})

describe('a reference', () => {
  it('is read by operators alone: others learn not even whether it is known', async () => {
    const known = referenceIn(await (await authorize('gone')).text())
    await server.recording.flush()
    const paths = (prefix: string) => [`${prefix}${known}`, `${prefix}ZZZZ-ZZZZ`]
    const user = await browserOf(server, 'teacher')
    for (const accept of ['text/html', 'application/json']) {
      for (const prefix of ['/why?reference=', '/why/', '/admin/why/', '/admin/why?reference=']) {
        const [one, other] = await Promise.all(paths(prefix).map((path) => user(path, { accept })))
        expect(one).toEqual(other)
        expect(one?.status).toBe(prefix === '/why?reference=' ? 200 : 404)
      }
      const signedOut = paths('/admin/why/').map((path) =>
        fetch(server.baseUrl + path, { headers: { accept }, redirect: 'manual' }),
      )
      for (const answer of await Promise.all(signedOut)) {
        expect(answer.headers.get('location')).toMatch(/^\/login\?return_to=/)
        expect(await answer.text()).toBe('')
      }
    }
  })
})

describe('with EXPLAIN=off', () => {
  it('nothing has a reference, and no step is kept', async () => {
    const off = await runServer({ EXPLAIN: 'off' })
    const clientId = await register(off)
    await (await appOf(off, 'teacher')).tokens('notes:read')
    for (const answer of [
      await authorize('gone', {}, off),
      await authorize(clientId, { scope: 'unknown' }, off),
      await redeemWrongCode(clientId, off),
    ]) {
      expect(answer.headers.get('grantkit-reference')).toBeNull()
      expect(`${answer.headers.get('location')} ${await answer.text()}`).not.toMatch(
        /\bref\b|"reference"|\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/,
      )
    }
    expect(await off.attempts.latest({}, 10)).toEqual([])
    expect(await off.database.selectFrom('attempt_steps').selectAll().execute()).toEqual([])
    await off.close()
  })
})
