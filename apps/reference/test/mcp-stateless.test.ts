import { afterAll, describe, expect, it } from 'vitest'
import { inProcess } from './in-process.ts'
import { META_2026, type Message, message2026, withHeaders } from './mcp-messages.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** MCP 2026-07-28 on the wire: every request for itself, without a session. */

const service = await runService()
afterAll(() => service.close())

async function post(message: Message, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { ...message.headers, ...authorization }
  const response = await fetch(`${service.baseUrl}/mcp`, { method: 'POST', ...message, headers })
  const type = response.headers.get('content-type')
  return { status: response.status, type, headers: response.headers, ...(await response.json()) }
}

/** A client that wants log messages, every one. */
const DEBUG = { ...META_2026, 'io.modelcontextprotocol/logLevel': 'debug' }
type Tool = Readonly<Record<'inputSchema' | 'outputSchema', object>>

const ARGUMENTS = { arguments: { limit: 1 } }
const search = (name = 'search_courses') =>
  message2026('tools/call', { name: 'search_courses', ...ARGUMENTS }, name)
const base64 = (text: string) => `=?base64?${btoa(text)}?=`
const unversioned = (key: string) =>
  message2026('tools/list', { _meta: { ...META_2026, [`io.modelcontextprotocol/${key}`]: undefined } })
const read = (uri: string) => message2026('resources/read', { uri }, uri)

describe('a request of protocol 2026-07-28', () => {
  it.each<[string, Message, number, number]>([
    ['no protocol version', withHeaders(search(), { 'mcp-protocol-version': undefined }), 400, -32020],
    [
      'another protocol version',
      withHeaders(search(), { 'mcp-protocol-version': '2025-11-25' }),
      400,
      -32020,
    ],
    ['no method', withHeaders(search(), { 'mcp-method': undefined }), 400, -32020],
    ['another method', withHeaders(search(), { 'mcp-method': 'tools/list' }), 400, -32020],
    ['the method in capitals', withHeaders(search(), { 'mcp-method': 'Tools/Call' }), 400, -32020],
    ['no name', withHeaders(search(), { 'mcp-name': undefined }), 400, -32020],
    ['another name', search('read_courses'), 400, -32020],
    ['another name in capitals', search('SEARCH_COURSES'), 400, -32020],
    ['another name in base64', search(base64('read_courses')), 400, -32020],
    ['a name with a header in it', search(base64('search_courses\r\nX-Injected: 1')), 400, -32020],
    ['a name in base64 twice', search(base64(base64('search_courses'))), 400, -32020],
    ['a name that is no base64', search('=?base64?%%?='), 400, -32020],
    ['a name that is markup', search('<script>alert(1)</script>'), 400, -32020],
    ['a version alone', message2026('tools/list', { _meta: undefined }), 400, -32602],
    ['no version in the message', unversioned('protocolVersion'), 400, -32602],
    ['no capabilities', unversioned('clientCapabilities'), 400, -32602],
    ['an unknown method', message2026('nothing'), 404, -32601],
    ['initialize', message2026('initialize'), 404, -32601],
    ['ping', message2026('ping'), 404, -32601],
    ['logging/setLevel', message2026('logging/setLevel'), 404, -32601],
    ['resources/subscribe', message2026('resources/subscribe'), 404, -32601],
    ['subscriptions/listen', message2026('subscriptions/listen'), 200, -32603],
    ['an unknown tool', message2026('tools/call', { name: 'nothing' }, 'nothing'), 200, -32602],
  ])(
    'PR-11, PR-12: what the headers or the protocol forbid is refused in one JSON body, and keeps no connection open: %s',
    async (_, message, status, code) => {
      const answer = await post(message)
      expect(answer).toMatchObject({ status, type: 'application/json', error: { code } })
      expect(answer.headers.has('x-injected')).toBe(false)
    },
  )

  it('names the protocols that are served, if it wants another one', async () => {
    const _meta = { ...META_2026, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }
    const message = withHeaders(message2026('tools/list', { _meta }), {
      'mcp-protocol-version': '1900-01-01',
    })
    const data = { supported: ['2026-07-28'], requested: '1900-01-01' }
    expect(await post(message)).toMatchObject({ status: 400, error: { code: -32022, data } })
  })

  it.each(['school://courses/nope', 'school://nothing/nope', 'school://courses/ceramics-glazing'])(
    'for an unknown resource gets its address in the error: %s',
    async (uri) => {
      expect(await post(read(uri))).toMatchObject({ status: 200, error: { code: -32602, data: { uri } } })
    },
  )

  it('may have a name in base64, and needs no clientInfo', async () => {
    const answer = await post(search(base64('search_courses')))
    expect(answer).toMatchObject({ status: 200, result: { structuredContent: { total: 5 } } })
  })

  it('gets no session, even if it names one', async () => {
    const message = withHeaders(search(), { 'mcp-session-id': 'x', 'last-event-id': 'y' })
    const answer = await post(message)
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null])
  })
})

it('a request that its client closes is cancelled, and not logged as a fault', async () => {
  const { headers, body } = search()
  const closed = new AbortController()
  const answer = inProcess(service)(
    new Request(`${service.baseUrl}/mcp`, {
      method: 'POST',
      headers: { ...headers, host: new URL(service.baseUrl).host },
      body,
      signal: closed.signal,
    }),
  )
  closed.abort()
  const { status, text } = await answer.then(async (gone) => ({
    status: gone.status,
    text: await gone.text(),
  }))
  expect([status, text, service.errors]).toEqual([499, '', []])
})

it.each<[string, Message]>([
  [
    'a search',
    message2026('tools/call', { _meta: DEBUG, name: 'search_courses', ...ARGUMENTS }, 'search_courses'),
  ],
  ['an error of a tool', message2026('tools/call', { _meta: DEBUG, name: 'read_courses' }, 'read_courses')],
  ['an unknown tool', message2026('tools/call', { _meta: DEBUG, name: 'nothing' }, 'nothing')],
  [
    'resources/read',
    message2026('resources/read', { _meta: DEBUG, uri: 'school://courses/nope' }, 'school://courses/nope'),
  ],
  ['server/discover', message2026('server/discover', { _meta: DEBUG })],
])('%s gets one answer and no notifications/message, though the client asks for logs', async (_, message) => {
  const answer = await post(message)
  expect([answer.type, answer.method, answer.id]).toEqual(['application/json', undefined, 1])
})

it('no schema of a tool refers to another document', async () => {
  const { result } = await post(message2026('tools/list'))
  const referred: string[] = []
  const schemas = result.tools.flatMap(({ inputSchema, outputSchema }: Tool) => [inputSchema, outputSchema])
  JSON.stringify(schemas, (name, value) => {
    if (name === '$ref' || name === '$dynamicRef') referred.push(value)
    return value
  })
  expect(schemas.length).toBeGreaterThan(2)
  expect(referred.filter((address) => !address.startsWith('#'))).toEqual([])
})

describe('server/discover', () => {
  it('is answered as the first and only request, without a token', async () => {
    const { status, result } = await post(message2026('server/discover'))
    expect([status, result]).toEqual([
      200,
      {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
        instructions: expect.stringContaining('Harbour School'),
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'harbour-school' }) },
      },
    ])
  })
})

describe('what a client may cache', () => {
  const PUBLIC = { ttlMs: 3_600_000, cacheScope: 'public' }
  const PRIVATE = { ttlMs: 0, cacheScope: 'private' }

  it.each<[string, Message, object]>([
    ['tools/list', message2026('tools/list'), PUBLIC],
    ['resources/templates/list', message2026('resources/templates/list'), PUBLIC],
    ['resources/list', message2026('resources/list'), PRIVATE],
    ['resources/read', read('school://courses/bread-at-home'), PRIVATE],
  ])('of %s', async (_, message, hint) => {
    expect((await post(message)).result).toMatchObject(hint)
  })

  it.each(['tools/list', 'resources/templates/list', 'resources/list'])(
    'of %s is the same on every page',
    async (method) => {
      const hints = new Set<string>()
      let cursor: string | undefined
      do {
        const { ttlMs, cacheScope, nextCursor } = (await post(message2026(method, { cursor }))).result
        hints.add(JSON.stringify({ ttlMs, cacheScope }))
        cursor = nextCursor
      } while (cursor !== undefined)
      expect([...hints]).toEqual([JSON.stringify(method === 'resources/list' ? PRIVATE : PUBLIC)])
    },
  )

  it('in public is the same with and without a token', async () => {
    const { access_token } = await signedIn(service.baseUrl, 'courses:read')
    for (const method of ['server/discover', 'tools/list', 'resources/templates/list']) {
      const [anonymous, authorized] = [
        await post(message2026(method)),
        await post(message2026(method), access_token),
      ]
      expect(authorized.result, method).toEqual(anonymous.result)
    }
    const { result } = await post(message2026('resources/list'), access_token)
    expect(JSON.stringify(result)).toContain('ceramics-glazing')
  })

  it('is not sent to a client of 2025', async () => {
    const message = { ...message2026('tools/list', { _meta: undefined }) }
    const { result } = await post(withHeaders(message, { 'mcp-protocol-version': '2025-11-25' }))
    expect(Object.keys(result)).toEqual(['tools'])
  })
})

it('a browser may send the headers of both protocols', async () => {
  const headers = { origin: 'http://localhost:6274' }
  const response = await fetch(`${service.baseUrl}/mcp`, { method: 'OPTIONS', headers })
  expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([204, 'POST'])
  expect(response.headers.get('access-control-allow-headers')?.split(', ')).toEqual([
    'authorization',
    'content-type',
    'accept',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'last-event-id',
  ])
})
