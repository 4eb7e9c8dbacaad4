import { describe, expect, it } from 'vitest'
import {
  audienceIncludes,
  canonicalResource,
  narrowedResources,
  requestedResources,
} from './resource-indicator.ts'

const known = ['https://server.example', 'https://server.example/mcp']

describe('canonicalResource', () => {
  it.each([
    ['https://server.example/', 'https://server.example'],
    ['https://server.example/mcp', 'https://server.example/mcp'],
    ['https://server.example/mcp/', 'https://server.example/mcp/'],
    ['https://SERVER.example', 'https://SERVER.example'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['urn:https://server.example/', 'urn:https://server.example/'],
  ])('%s -> %s', (resource, expected) => {
    expect(canonicalResource(resource)).toBe(expected)
  })
})

describe('requestedResources', () => {
  it('takes an origin with a trailing slash for the origin', () => {
    expect(requestedResources(['https://server.example/', 'https://server.example'], known)).toEqual([
      known[0],
    ])
  })

  it.each([
    'https://other.example',
    'mcp',
    '/mcp',
    ' ',
    'https://server.example/mcp#x',
    'https://server.example/mcp/',
    'https://server.example/MCP',
    'https://server.example//mcp',
    'javascript:x',
    'x'.repeat(3000),
  ])('RS-01, D10: a resource that is unknown is refused: %s', (resource) => {
    const reason = 'resource_unknown'
    expect(() => requestedResources([resource], known)).toThrow(expect.objectContaining({ reason }))
  })
})

const GONE = 'https://server.example/gone'

describe('narrowedResources', () => {
  it.each([
    ['what was granted, when nothing is named', [], [known[1]], [known[1]]],
    ['part of what was granted', [known[0]], known, [known[0]]],
    ['any resource of a grant that was bound to none', [known[1]], [], [known[1]]],
    ['what is still hosted of what was granted', [], [GONE, known[1]], [known[1]]],
  ])(
    'RS-06, D10: a token request may choose among what was granted: %s',
    (_, requested, granted, expected) => {
      expect(narrowedResources(requested as string[], granted as string[], known)).toEqual(expected)
    },
  )

  it.each([[[]], [[...known].reverse()]])('gives the stored list itself for all of it: %j', (requested) => {
    expect(narrowedResources(requested, known, known)).toBe(known)
  })

  it.each([
    ['beyond what was granted', [known[0]], [known[1]], 'resource_not_granted'],
    ['unknown', ['https://other.example'], [], 'resource_unknown'],
    ['that was granted and is no longer hosted', [GONE], [GONE, ...known], 'resource_gone'],
    ['where nothing that was granted is hosted any more', [], [GONE], 'resource_gone'],
  ])('gives nothing %s', (_, requested, granted, reason) => {
    const refused = () => narrowedResources(requested as string[], granted as string[], known)
    expect(refused).toThrow(expect.objectContaining({ reason }))
  })
})

describe('audienceIncludes', () => {
  it('lets an unbound token in everywhere and a bound one only where it is bound', () => {
    expect(audienceIncludes([], 'a')).toBe(true)
    expect(audienceIncludes(['a'], 'a')).toBe(true)
    expect(audienceIncludes(['a'], 'b')).toBe(false)
  })
})
