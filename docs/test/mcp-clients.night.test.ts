/** The program of docs/how-to/mcp.md, as it is, with the clients that people use. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentFetch } from '@grantkit/core/client-documents'
import { knownClients } from '@grantkit/known-clients'
import { mcpClients } from '@grantkit/mcp-clients'
import { describeMcpClients } from '@grantkit/mcp-clients/describe-mcp-clients'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type NotesClient, type OpenClient, SIGNING_IN, STEPPING_UP } from './mcp-clients.ts'
import { type NotesProgram, startNotes } from './notes-program.ts'

let notes: NotesProgram
let origin: string
beforeAll(async () => {
  vi.doMock('@grantkit/safe-fetch', () => ({ safeFetch: () => fetchFromItsHost }))
  notes = await startNotes('mcp')
  origin = notes.origin
})
afterAll(async () => {
  vi.doUnmock('@grantkit/safe-fetch')
  await notes.close()
})

/** The hosts of the documents are far away. */
const fetchFromItsHost: DocumentFetch = async (url) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(mcpClients.find(({ document }) => document?.client_id === url)?.document),
})

/** A client of the program, and the scopes that it requested. */
async function openAt(open: OpenClient): Promise<{ client: NotesClient; asked: (string | null)[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const asked: (string | null)[] = []
  const browser = formBrowser({ origin, typed: { password: '' } })
  const noticed = (address: string) => {
    asked.push(new URL(address).searchParams.get('scope'))
    return browser(address)
  }
  const client = await open(new URL('/mcp', origin), noticed, folder)
  onTestFinished(async () => void (await client.close()))
  return { client, asked }
}

it.each(Object.entries(SIGNING_IN))('%s signs in for no more than it needs, and reads', async (_, open) => {
  const { client, asked } = await openAt(open)
  expect(await client.call('list_notes')).toContain('buy milk')
  // Inspector names no scope, and gets the default.
  expect([['notes:read'], [null]]).toContainEqual(asked)
})

it.each(Object.entries(STEPPING_UP))('%s asks for more when a tool needs it', async (name, open) => {
  const { client, asked } = await openAt(open)
  expect(await client.call('add_note', { note: name })).toBe('It is noted')
  expect(await client.call('list_notes')).toContain(name)
  expect(asked).toEqual(['notes:read', 'notes:read notes:write'])
})

describe('the guard of the SDK', () => {
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const call = (headers: Record<string, string>) =>
    notes.guardedBySdk(
      new Request(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(LIST),
      }),
    )

  it.each([{}, { authorization: 'Bearer x' }, { authorization: 'Bearer' }])(
    'challenges %j, with the scope and the metadata of the resource',
    async (headers) => {
      const refused = await call(headers as Record<string, string>)
      expect(refused.status).toBe(401)
      const challenge = refused.headers.get('www-authenticate')
      expect(challenge).toContain('scope="notes:read"')
      expect(challenge).toContain(`resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`)
    },
  )

  it('lets a client with a token in', async () => {
    const browser = formBrowser({ origin, typed: { password: '' } })
    const app = await testClient(origin, { browser })
    const { access_token } = await app.tokens('notes:read', { resource: `${origin}/mcp` })
    const answered = await call({ authorization: `Bearer ${access_token}` })
    expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('add_note')])
  })
})

it.each(['GET', 'HEAD', 'POST'])(
  'a %s without a token gets a challenge with the scope to request',
  async (method) => {
    const refused = await fetch(`${origin}/mcp`, { method })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('scope="notes:read"'),
    ])
  },
)

const replayed = async () => ({
  resource: `${origin}/mcp`,
  browser: formBrowser({ origin, typed: { password: '' } }),
  scope: 'notes:read',
  laterScope: 'notes:write',
  tool: { name: 'add_note', arguments: { note: 'x' } },
  add: notes.clients.add,
})
describeMcpClients('the program of the page', replayed, {
  challenges: true,
  known: knownClients().on.map(({ id }) => id),
  documents: true,
  added: true,
})
