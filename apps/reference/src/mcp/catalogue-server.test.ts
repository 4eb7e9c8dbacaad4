import { McpServer } from '@modelcontextprotocol/server'
import { afterEach, expect, it, vi } from 'vitest'
import type { SchoolRecords } from '../school/records.ts'
import { catalogueServer } from './catalogue-server.ts'

const registerTool = vi.spyOn(McpServer.prototype, 'registerTool')
afterEach(() => registerTool.mockClear())

/** The output schemas of the tools of a new server. */
function descriptions(): unknown[] {
  registerTool.mockClear()
  catalogueServer({} as SchoolRecords)
  return registerTool.mock.results.map(({ value }) => value.outputSchemaJson)
}

it('all servers share the output schemas of their tools', () => {
  const [first, second] = [descriptions(), descriptions()]
  expect(first.length).toBeGreaterThan(1)
  expect(first).toContainEqual(expect.objectContaining({ type: 'object', required: ['item'] }))
  for (const [index, description] of first.entries()) expect(second[index]).toBe(description)
})
