import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../src/oauth/scopes.ts'
import { MCP_CLIENTS, type McpClient } from './mcp-clients.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The MCP server, by the official clients and by bare requests. */

const service = await runService()
afterAll(() => service.close())

const INVALID_PARAMS = -32602

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const post = (headers: Record<string, string> = {}, body: unknown = LIST) =>
  fetch(`${service.baseUrl}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** `fetch` cannot send a different Host. */
function postWithHost(host: string, path = '/mcp'): Promise<number> {
  const { port } = new URL(service.baseUrl)
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { port, host: '127.0.0.1', path, method: 'POST', headers: { ...HEADERS, host } },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(LIST))
  })
}

describe.each(Object.entries(MCP_CLIENTS))('to %s', (_, connect) => {
  const url = new URL(`${service.baseUrl}/mcp`)
  let client: McpClient
  beforeAll(async () => {
    client = await connect(url)
  })
  afterAll(() => client.close())

  describe('the tools', () => {
    it('search and read every area of the catalogue, and only read', async () => {
      const { tools } = await client.listTools()
      const names = areas
        .filter(({ catalogue }) => catalogue)
        .flatMap(({ name }) => [`search_${name}`, `read_${name}`])
      expect(tools.map(({ name }) => name)).toEqual(names)
      for (const tool of tools) {
        expect(tool.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
        expect([tool.title, tool.description, tool.outputSchema?.type]).toEqual([
          expect.any(String),
          expect.any(String),
          'object',
        ])
      }
    })

    it('find what is published by its words, page by page', async () => {
      const search = async (args: object) =>
        (await client.callTool({ name: 'search_courses', arguments: { ...args } })).structuredContent
      expect(await search({ query: 'BREAD home' })).toMatchObject({
        items: [{ id: 'bread-at-home' }],
        total: 1,
      })
      expect(await search({ query: 'glazing' }), 'unpublished').toMatchObject({ total: 0 })
      expect(await search({ query: '8900 eur' }), 'the price').toMatchObject({
        items: [{ id: 'typography-for-the-web' }],
        total: 1,
      })
      expect(await search({ query: 'object' }), 'no word of any course').toMatchObject({ total: 0 })
      expect(await search({ query: 'true' }), 'no word of any course').toMatchObject({ total: 0 })
      const first = await search({ limit: 3 })
      expect(first).toMatchObject({ total: 5, next_offset: 3 })
      const last = await search({ limit: 3, offset: 3 })
      expect(last).not.toHaveProperty('next_offset')
      expect(last).toMatchObject({
        items: [{ id: 'first-steps-in-statistics' }, { id: 'night-photography' }],
      })
    })

    it('give the same as text', async () => {
      const { content, structuredContent } = await client.callTool({
        name: 'read_lecturers',
        arguments: { id: 'mira-holm' },
      })
      expect(structuredContent).toMatchObject({ item: { name: 'Mira Holm' } })
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    })

    it.each([
      ['an unknown id', 'read_courses', { id: 'nope' }, 'search_courses'],
      ['an unpublished id', 'read_courses', { id: 'ceramics-glazing' }, 'search_courses'],
      ['a missing id', 'read_courses', {}, 'id'],
      ['a bad limit', 'search_courses', { limit: 0 }, 'limit'],
    ])('say what is wrong with %s', async (_, name, args, text) => {
      const result = await client.callTool({ name, arguments: args })
      expect(result.isError).toBe(true)
      expect(JSON.stringify(result.content)).toContain(text)
    })

    it('are the only ones', async () => {
      const calling = client.callTool({ name: 'read_students', arguments: { id: 'student-1001' } })
      await expect(calling).rejects.toMatchObject({ code: INVALID_PARAMS })
    })
  })

  describe('the resources', () => {
    it('are the same items', async () => {
      const { resources } = await client.listResources()
      expect(resources).toContainEqual({
        uri: 'school://courses/bread-at-home',
        name: 'bread-at-home',
        title: 'Bread at home',
        mimeType: 'application/json',
      })
      expect(resources.map(({ uri }) => uri)).not.toContain('school://courses/ceramics-glazing')
      const { contents } = await client.readResource({ uri: 'school://courses/bread-at-home' })
      expect(JSON.parse(String((contents[0] as { text?: string }).text))).toMatchObject({
        title: 'Bread at home',
      })
    })

    it('have pages, and an invalid cursor is rejected', async () => {
      const listing = client.listResources({ cursor: 'nowhere' })
      await expect(listing).rejects.toMatchObject({ code: INVALID_PARAMS })
    })

    it.each(['courses/ceramics-glazing', 'courses/nope', 'students/student-1001'])(
      'are the only ones: %s',
      async (path) => {
        const reading = client.readResource({ uri: `school://${path}` })
        await expect(reading).rejects.toMatchObject({ code: INVALID_PARAMS })
      },
    )
  })

  describe('a token', () => {
    it('shows more with a scope, and never less than no token', async () => {
      for (const [scope, total] of [
        ['courses:read', 6],
        ['students:read', 5],
      ] as const) {
        const { access_token } = await signedIn(service.baseUrl, scope)
        const authorized = await connect(url, access_token)
        const { structuredContent } = await authorized.callTool({ name: 'search_courses', arguments: {} })
        expect(structuredContent).toMatchObject({ total })
        await authorized.close()
      }
    })
  })

  it('it declares no notifications, because it has no stream', () => {
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
    })
  })
})

describe('the transport', () => {
  it.each([
    ['broken JSON', {}, '{', 400],
    ['another media type', { 'content-type': 'text/plain' }, '{}', 415],
    ['a client that takes no JSON', { accept: 'text/html' }, LIST, 406],
    ['no JSON-RPC', {}, '{}', 400],
    ['no text', {}, '', 400],
    ['no message', {}, '[]', 400],
    ['a value', {}, 'null', 400],
    ['thousands of levels', {}, '['.repeat(20_000), 400],
  ])('REQ-70: a body that is no message is refused: %s', async (_, headers, body, status) => {
    expect((await post(headers as Record<string, string>, body)).status).toBe(status)
  })

  it.each([{ accept: '*/*' }, { accept: 'application/json, */*;q=0.1' }])(
    'answers a client that accepts anything, such as curl: %j',
    async (headers) => {
      expect((await post(headers)).status).toBe(200)
    },
  )

  it('answers a message that the same batch cancels', async () => {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: LIST.id } }
    for (const batch of [
      [LIST, cancelled],
      [cancelled, LIST],
    ])
      expect(await (await post({}, batch)).json()).toMatchObject({ id: LIST.id, result: {} })
  })

  it('accepts an absolute URL in the request line', async () => {
    const path = `${service.baseUrl}/mcp`
    expect(await postWithHost(new URL(service.baseUrl).host, path)).toBe(200)
  })
})
