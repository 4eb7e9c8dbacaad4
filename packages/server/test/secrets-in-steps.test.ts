import { overFetch, type Send, testClient } from '@grantkit/testkit/client'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOG_OPTIONS, logObservers } from '../src/operations/logging.ts'
import { DANA, THEO } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { appOf, browserOf } from './signed-in-browser.ts'

/** What requests bring and nobody keeps: not in rows, log lines, pages of the operator or JSON. */

const lines: string[] = []
const log = pino({ ...LOG_OPTIONS, level: 'debug' }, { write: (line: string) => void lines.push(line) })

let server: RunningServer
let operator: Awaited<ReturnType<typeof browserOf>>
beforeAll(async () => {
  const environment = {
    ...{ RATE_LIMITS: 'off', DEVICE_GRANT: 'all', DPOP: 'on', PAR: 'on', ADMIN_API: 'on' },
    ...{ TOKEN_EXCHANGE: 'on', CLIENT_CREDENTIALS: 'on', LOGOUT: 'on' },
  }
  server = await runServer(environment, {}, logObservers(log))
  await server.accounts.setAdmin(DANA.id, true)
  operator = await browserOf(server, 'demo')
})
afterAll(() => server.close())

/** All that the operator can read of attempts, and the whole log. */
async function everythingKept(): Promise<string> {
  await server.recording.flush()
  const rows = await server.database.selectFrom('attempt_steps').selectAll().execute()
  const references = [...new Set(rows.map(({ reference }) => reference))]
  const pages = ['', ...references.map((reference) => `/${reference}`)].map(
    async (path) => (await operator(`/admin/why${path}`)).html,
  )
  const json = await Promise.all(references.map((reference) => server.attempts.find(reference)))
  expect(rows.length).toBeGreaterThan(5)
  return [JSON.stringify(rows), ...lines, ...(await Promise.all(pages)), JSON.stringify(json)].join('\n')
}

const NAMES =
  `state nonce login_hint id_token_hint request_uri sign_in_ticket code_challenge subject_token actor_token
  device_code user_code ticket logout_hint email password client_secret client_assertion client_name software_id contacts
  name return_to`.split(/\s+/)
/** A mark in each parameter that a request may have. Only a client without a secret gets far. */
const MARKED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NAMES.map((name) => [name, `marked_${name}`])),
  code: `gkc_${'g'.repeat(22)}.marked_code`,
  refresh_token: `gkr_${'g'.repeat(22)}.marked_refresh_token`,
  token: `gka_${'g'.repeat(22)}.marked_token`,
  code_verifier: `marked_verifier_${'x'.repeat(40)}`,
  redirect_uri: 'https://marked_user:marked_password@app.example/callback?marked_query#marked_fragment',
  resource: 'https://app.example/mcp?marked_query',
  scope: 'notes:read',
}
const HEADERS = { 'user-agent': 'marked_agent', cookie: 'session=marked_cookie', dpop: 'marked_proof' }
const OPTIONAL = ['request_uri', 'client_secret', 'client_assertion']

/** How a request names its client, from what gets far to what does not. @param clientId of a registered client */
const waysToName = (clientId: string) => [
  { client_id: clientId, omitted: OPTIONAL },
  { client_id: clientId, omitted: [] },
  { client_id: 'unknown', omitted: [], authorization: `Basic ${btoa('app:marked_secret')}` },
  { client_id: 'unknown', omitted: OPTIONAL, authorization: `Bearer ${MARKED.token}` },
]
type WayToName = ReturnType<typeof waysToName>[number]

/** Each endpoint and page, with each method that it has. */
function endpoints(): { readonly path: string; readonly method: string }[] {
  const ofCore = server.routes.flatMap(({ path, methods }) => methods.map((method) => ({ path, method })))
  const pages = server.app.routes.filter(({ method }) => method !== 'ALL')
  const all = [...ofCore, ...pages].map(({ path, method }) => ({
    method,
    path: path.replaceAll(/:\w+/g, 'x'),
  }))
  return [...new Map(all.map((one) => [`${one.method} ${one.path}`, one])).values()]
}

it('no marked value of a request is kept, whatever endpoint it was sent to', async () => {
  const { clientId } = await testClient(server.baseUrl)
  for (const { path, method } of endpoints())
    for (const way of waysToName(clientId)) await sendMarked(path, method, way)
  const kept = await everythingKept()
  const reasons = [...kept.matchAll(/"reason":"(\w+)"/g)].map(([, reason]) => reason)
  expect(new Set(reasons).size).toBeGreaterThan(10)
  expect(kept.match(/.{60}marked.{30}/gi)).toBeNull()
})

const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE']

/** As a query; or as a form, and once more as JSON. */
async function sendMarked(
  path: string,
  method: string,
  { client_id, omitted, authorization }: WayToName,
): Promise<void> {
  const grant_type = path.endsWith('/token') ? 'refresh_token' : 'marked_grant'
  const sent = Object.entries({ ...MARKED, client_id, grant_type }).filter(
    ([name]) => !omitted.includes(name),
  )
  const headers = { ...HEADERS, ...(authorization && { authorization }) }
  const send = (address: string, more: RequestInit = {}) =>
    fetch(server.baseUrl + address, {
      ...more,
      method,
      redirect: 'manual',
      headers: { ...headers, ...more.headers },
    })
  const form = new URLSearchParams(sent)
  if (WITHOUT_BODY.includes(method)) return void (await send(`${path}?${form}`))
  await send(path, { body: form })
  await send(path, jsonOf({ ...Object.fromEntries(sent), redirect_uris: [MARKED.redirect_uri] }))
}

function jsonOf(value: object) {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

it('no secret of a sign-in that succeeds is kept, and no name or e-mail address in a row', async () => {
  const secrets: string[] = []
  const fetched = overFetch()
  const send: Send = async (url, request) => {
    const response = await fetched(url, request)
    const { 'set-cookie': cookies = [], location = [] } = response.headers
    const texts = [response.body, cookies, location].flat()
    secrets.push(...texts.flatMap(secretsIn), ...secretsIn(request.body))
    return response
  }
  const metadata = { client_name: 'A name of a tool' }
  const client = await appOf(server, 'teacher', { metadata, send })
  const marked = { state: 'marked_state', nonce: 'marked_nonce' }
  const tokens = await client.tokens('openid notes:read', marked)
  await client.refresh(tokens.refresh_token ?? '')
  await client.refresh(tokens.refresh_token ?? '')
  const kept = await everythingKept()
  expect(kept).toContain(client.clientId)
  expect(secrets.length).toBeGreaterThan(8)
  for (const secret of [...secrets, ...Object.values(marked), tokens.access_token, tokens.id_token])
    expect(kept.includes(secret ?? 'an ID token'), secret).toBe(false)
  const rows = JSON.stringify(await server.database.selectFrom('attempt_steps').selectAll().execute())
  for (const personal of ['A name of a tool', THEO.name, THEO.email, '127.0.0.1"'])
    expect(rows).not.toContain(personal)
})

/** Codes, tokens, tickets, verifiers and cookies, without what is public before their dot. */
function secretsIn(text: string): string[] {
  const found = text.matchAll(
    /(?:gk[a-z]_[-\w]{22}\.|[?&]code=|_token":"|name="(?:ticket|token)" value="|code_verifier=|session=|sign_in_ticket=)([-\w.~%]{16,})/g,
  )
  return [...found].map(([, secret = '']) => decodeURIComponent(secret).split('.').at(-1) ?? '')
}
