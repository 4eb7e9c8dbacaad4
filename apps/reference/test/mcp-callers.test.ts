import { afterAll, expect, it } from 'vitest'
import { JSON_HEADERS, type Message, message2026 } from './mcp-messages.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The MCP servers of the process answer the requests of all callers. `ceramics-glazing` is not published. */

const service = await runService()
const token = (await signedIn(service.baseUrl, 'courses:read')).access_token
afterAll(() => service.close())

/** The same request in the protocol before 2026-07-28. */
function message2025(method: string, params: object): Message {
  return { headers: JSON_HEADERS, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }
}

const URI = 'school://courses/ceramics-glazing'
const ITEM = { name: 'read_courses', arguments: { id: 'ceramics-glazing' } }
const ALL = { name: 'search_courses', arguments: { query: 'glazing' } }
const BATCH = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: ITEM }))

const REQUESTS: readonly Message[] = [
  message2026('tools/call', ITEM, ITEM.name),
  message2026('tools/call', ALL, ALL.name),
  message2026('resources/read', { uri: URI }, URI),
  message2026('resources/list'),
  message2025('tools/call', ITEM),
  message2025('tools/call', ALL),
  message2025('resources/read', { uri: URI }),
  message2025('resources/list', {}),
  { headers: JSON_HEADERS, body: JSON.stringify(BATCH) },
]

async function sees({ headers, body }: Message, authorization?: string): Promise<boolean> {
  const sent = { ...headers, ...(authorization !== undefined && { authorization }) }
  const response = await fetch(`${service.baseUrl}/mcp`, { method: 'POST', headers: sent, body })
  const text = await response.text()
  expect(text).toContain('"jsonrpc"')
  return text.includes('Ceramics: glazing')
}

it('PR-13: requests at once of a caller with a token and one without each see only what their caller may see', async () => {
  const callers = Array.from({ length: 8 * REQUESTS.length }, (_, n) =>
    n % 2 === 0 ? `Bearer ${token}` : undefined,
  )
  const seen = await Promise.all(
    callers.map((caller, n) => sees(REQUESTS[Math.floor(n / 2) % REQUESTS.length] as Message, caller)),
  )
  expect(seen).toEqual(callers.map((caller) => caller !== undefined))
})

it('a request without a token sees nothing of one with a token that was closed before its answer', async () => {
  const message = REQUESTS[0] as Message
  for (let n = 0; n < 20; n++) {
    const closed = new AbortController()
    const headers = { ...message.headers, authorization: `Bearer ${token}` }
    const sent = fetch(`${service.baseUrl}/mcp`, {
      method: 'POST',
      ...message,
      headers,
      signal: closed.signal,
    })
    const anonymous = sees(message)
    setImmediate(() => closed.abort())
    await sent.then(
      (response) => response.text(),
      () => '',
    )
    expect([await anonymous, await sees(message)]).toEqual([false, false])
  }
})
