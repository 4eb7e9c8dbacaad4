import { KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'
import { mcpClients } from '@grantkit/mcp-clients'
import { expect, it } from 'vitest'
import { knownClientRow } from '../known-client-row.ts'

const [entry] = KNOWN_CLIENTS as readonly [KnownClient]

it.each([
  ['day', { seen: '' }],
  ['day', { seen: 'last autumn' }],
  ['source', { source: '' }],
  ['replay', { id: 'editor' }],
])('an entry without a %s has no row', (what, change) => {
  expect(() => knownClientRow({ ...entry, ...change }, mcpClients)).toThrow(`has no ${what}`)
})
