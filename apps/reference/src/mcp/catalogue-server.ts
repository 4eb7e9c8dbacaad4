import {
  type CallToolResult,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { type AreaName, areas, scopeOf } from '../oauth/scopes.ts'
import type { SchoolRecord } from '../school/record.ts'
import type { Page, SchoolRecords, Selection } from '../school/records.ts'
import { recordOfArea } from '../school/schemas.ts'
import { describedOnce } from './described-once.ts'
import { type ListedArea, pageOfResources } from './resource-list.ts'

const SEARCH = describedOnce(
  z.object({
    query: z.string().max(200).optional().describe('Words that an item must contain; all items if left out'),
    limit: z.number().int().min(1).max(100).default(20).describe('How many items at most'),
    offset: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe('How many items to pass over: next_offset of the last answer'),
  }),
)
const READ = describedOnce(z.object({ id: z.string().max(200).describe('The id of the item') }))

/** The areas with the output schemas of their tools, built once for all servers. */
const CATALOGUE = areas
  .filter(({ catalogue }) => catalogue)
  .map((area) => ({
    ...area,
    found: describedOnce(foundIn(area.name)),
    read: describedOnce(z.object({ item: recordOfArea(area.name) })),
  }))
type Area = (typeof CATALOGUE)[number]

/** The records of one area. Each method returns only what the caller of the request may see. */
interface Items {
  list(selection: Selection, request: ServerContext): Promise<Page>
  find(id: string, request: ServerContext): Promise<SchoolRecord | undefined>
}

/**
 * One hour, for lists that only a new version changes. They are the same for every caller; only items depend on the
 * token.
 */
const SAME_FOR_ALL = { ttlMs: 3_600_000, cacheScope: 'public' } as const
const FOR_THIS_TOKEN = { ttlMs: 0, cacheScope: 'private' } as const

/** What a client of protocol 2026-07-28 may cache. */
const CACHE_HINTS = {
  'server/discover': SAME_FOR_ALL,
  'tools/list': SAME_FOR_ALL,
  'resources/templates/list': SAME_FOR_ALL,
  'resources/list': FOR_THIS_TOKEN,
  'resources/read': FOR_THIS_TOKEN,
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/**
 * The catalogue of the school as tools and resources, limited to what the caller may see. It serves the requests of all
 * callers, one after the other, so nothing in it depends on a caller: each request brings its own (`authInfo`).
 */
export function catalogueServer(school: SchoolRecords): McpServer {
  const server = new McpServer(
    { name: 'harbour-school', title: 'Harbour School', version: '1.0.0' },
    {
      instructions: 'Reads of the catalogue of Harbour School. Search an area, then read an item by its id.',
      cacheHints: CACHE_HINTS,
    },
  )
  const listed = CATALOGUE.map((area) => {
    const items = itemsOf(school, area.name)
    addSearch(server, area, items)
    addRead(server, area, items)
    addResources(server, area, items)
    return { name: area.name, list: items.list }
  })
  // The list of the SDK has no pages.
  server.server.setRequestHandler('resources/list', ({ params }, request) =>
    pageOfResources(listedFor(request, listed), params?.cursor),
  )
  return withoutSession(server)
}

/** Disables what the SDK assumes of a server with sessions. */
function withoutSession(server: McpServer): McpServer {
  const silent = { listChanged: false }
  server.server.registerCapabilities({ tools: silent, resources: silent })
  // Ignores cancellations: otherwise a cancelled message, and the HTTP request that carries both, would get no
  // response.
  server.server.setNotificationHandler('notifications/cancelled', () => {})
  return server
}

function itemsOf(school: SchoolRecords, area: AreaName): Items {
  return {
    list: (selection, request) =>
      school.list(area, { ...selection, published: seesAll(request, area) ? undefined : true }),
    async find(id, request) {
      const found = await school.find(area, id)
      return seesAll(request, area) || found?.record.published === true ? found?.record : undefined
    },
  }
}

/** Whether the caller may see all records of an area, or only published ones. A caller without a token has no scopes. */
function seesAll({ http }: ServerContext, area: AreaName): boolean {
  return http?.authInfo?.scopes.includes(scopeOf(area, 'read')) ?? false
}

type Listed = Pick<Items, 'list'> & { readonly name: string }

function listedFor(request: ServerContext, areas: readonly Listed[]): ListedArea[] {
  return areas.map(({ name, list }) => ({ name, list: (selection) => list(selection, request) }))
}

/** The result of a search. */
function foundIn(area: AreaName) {
  return z.object({
    items: z.array(recordOfArea(area)),
    total: z.number().int().describe('How many items match in all'),
    next_offset: z.number().int().optional().describe('Where the next page begins; absent on the last'),
  })
}

function addSearch(server: McpServer, { name, title, found }: Area, items: Items): void {
  const description = `Search the ${title.toLowerCase()} of the school, page by page.`
  const config = {
    title: `Search ${title.toLowerCase()}`,
    description,
    inputSchema: SEARCH,
    outputSchema: found,
    annotations: READ_ONLY,
  }
  server.registerTool(`search_${name}`, config, async ({ query = '', limit, offset }, request) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const { items: page, total, last } = await items.list({ words, offset, limit }, request)
    return answer({ items: page, total, ...(last && { next_offset: offset + limit }) })
  })
}

function addRead(server: McpServer, { name, title, read }: Area, items: Items): void {
  const description = `Read one item of the ${title.toLowerCase()} by its id, as search_${name} gives it.`
  const config = {
    title: `Read ${title.toLowerCase()}`,
    description,
    inputSchema: READ,
    outputSchema: read,
    annotations: READ_ONLY,
  }
  server.registerTool(`read_${name}`, config, async ({ id }, request) => {
    const item = await items.find(id, request)
    if (item === undefined)
      return failure(`There is no item "${id}" in ${title.toLowerCase()}. Find ids with search_${name}.`)
    return answer({ item })
  })
}

function addResources(server: McpServer, { name, title }: Area, items: Items): void {
  const root = `school://${name}/`
  const template = new ResourceTemplate(`${root}{id}`, { list: undefined })
  server.registerResource(
    name,
    template,
    { title, mimeType: 'application/json' },
    async (uri, _variables, request) => {
      const item = await items.find(uri.href.slice(root.length), request)
      if (item === undefined) throw new ResourceNotFoundError(uri.href)
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(item) }] }
    },
  )
}

/** The same content twice: structured for programs, and as text for models that read nothing else. */
function answer(structuredContent: Record<string, unknown>): CallToolResult {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
