import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  type CallToolResult,
  CancelledNotificationSchema,
  ErrorCode,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { SchoolRecord, SchoolRecords } from '../school/records.ts'
import { type AreaName, areas } from '../scopes.ts'

/** Whether the caller may see a record. */
export type Visible = (area: AreaName, record: SchoolRecord) => boolean

type Area = (typeof areas)[number]

const Item = z.looseObject({ id: z.string() })
const SEARCH = {
  query: z.string().max(200).optional().describe('Words that an item must contain; all items if left out'),
  limit: z.number().int().min(1).max(100).default(20).describe('How many items at most'),
  offset: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('How many items to pass over: next_offset of the last answer'),
}
const FOUND = {
  items: z.array(Item),
  total: z.number().int().describe('How many items match in all'),
  next_offset: z.number().int().optional().describe('Where the next page begins; absent on the last'),
}
const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/** The catalogue of the school as tools and resources, limited to what the caller may see. */
export function catalogueServer(school: SchoolRecords, visible: Visible): McpServer {
  const server = new McpServer(
    { name: 'harbour-school', title: 'Harbour School', version: '1.0.0' },
    {
      instructions: 'Reads of the catalogue of Harbour School. Search an area, then read an item by its id.',
    },
  )
  for (const area of areas) {
    if (!area.catalogue) continue
    const items = async () => (await school.list(area.name)).filter((record) => visible(area.name, record))
    addSearch(server, area, items)
    addRead(server, area, items)
    addResources(server, area, items)
  }
  return withoutSession(server)
}

/** Turns off what the SDK assumes of a server with sessions. */
function withoutSession(server: McpServer): McpServer {
  const silent = { listChanged: false }
  server.server.registerCapabilities({ tools: silent, resources: silent })
  // Ignores cancellations: a cancelled message, and the HTTP request that carries both, would get no answer.
  server.server.setNotificationHandler(CancelledNotificationSchema, () => {})
  return server
}

type Items = () => Promise<readonly SchoolRecord[]>

function addSearch(server: McpServer, { name, title }: Area, items: Items): void {
  const description = `Search the ${title.toLowerCase()} of the school, page by page.`
  const config = {
    title: `Search ${title.toLowerCase()}`,
    description,
    inputSchema: SEARCH,
    outputSchema: FOUND,
    annotations: READ_ONLY,
  }
  server.registerTool(`search_${name}`, config, async ({ query = '', limit, offset }) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const matching = (await items()).filter((item) => words.every((word) => textOf(item).includes(word)))
    const end = offset + limit
    const next = end < matching.length ? { next_offset: end } : {}
    return answer({ items: matching.slice(offset, end), total: matching.length, ...next })
  })
}

function addRead(server: McpServer, { name, title }: Area, items: Items): void {
  const description = `Read one item of the ${title.toLowerCase()} by its id, as search_${name} gives it.`
  const inputSchema = { id: z.string().max(200).describe('The id of the item') }
  const config = {
    title: `Read ${title.toLowerCase()}`,
    description,
    inputSchema,
    outputSchema: { item: Item },
    annotations: READ_ONLY,
  }
  server.registerTool(`read_${name}`, config, async ({ id }) => {
    const item = (await items()).find((candidate) => candidate.id === id)
    if (item === undefined)
      return failure(`There is no item "${id}" in ${title.toLowerCase()}. Find ids with search_${name}.`)
    return answer({ item })
  })
}

function addResources(server: McpServer, { name, title }: Area, items: Items): void {
  const uriOf = (id: string) => `school://${name}/${encodeURIComponent(id)}`
  const list = async () => ({
    resources: (await items()).map((item) => ({
      uri: uriOf(item.id),
      name: item.id,
      title: nameOf(item),
      mimeType: 'application/json',
    })),
  })
  const template = new ResourceTemplate(`school://${name}/{id}`, { list })
  server.registerResource(name, template, { title, mimeType: 'application/json' }, async (uri) => {
    const item = (await items()).find((candidate) => uriOf(candidate.id) === uri.href)
    // The code that the SDK uses for a URI that matches no template.
    if (item === undefined)
      throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri.href}`, { uri: uri.href })
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(item) }] }
  })
}

/** The same content twice: structured for programs, and as text for models that read nothing else. */
function answer(structuredContent: Record<string, unknown>): CallToolResult {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** All words and numbers in a value, at any depth. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textOf).join(' ')
  return typeof value === 'boolean' ? '' : String(value).toLowerCase()
}

function nameOf(item: SchoolRecord): string {
  return String(item.title ?? item.name ?? item.id)
}
