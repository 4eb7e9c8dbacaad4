import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { KNOWN_CLIENTS } from '@grantkit/core/known-clients'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { grantkit } from '../src/commands/grantkit.ts'
import { runProgram } from '../src/commands/run-program.ts'
import { parseConfig } from '../src/config/config.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** Known clients as an operator sees them: by commands next to a running server. */

const urisOf = (name: string) => KNOWN_CLIENTS.find(({ id }) => id === name)?.redirectUris ?? []

let folder: string
let environment: Record<string, string>
let server: RunningServer
beforeAll(async () => {
  folder = await folderInMemory('known-clients')
  environment = { DATABASE_URL: `sqlite:${join(folder, 'server.sqlite')}`, DATA_FOLDER: folder }
  server = await runServer({ ...environment, CIMD: 'off', KNOWN_CLIENTS: 'cursor' })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

async function printedBy(...words: readonly string[]): Promise<string> {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(stripVTControlCharacters(line)))
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => Boolean(lines.push(String(chunk))))
  const load = async () => ({ config: parseConfig({ environment }), definition: {} })
  await runProgram('grantkit', grantkit(load), words)
  return lines.join('\n')
}

async function register(redirect_uris: readonly string[]) {
  const body = JSON.stringify({ redirect_uris, token_endpoint_auth_method: 'none' })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.baseUrl}/api/oauth/register`, { method: 'POST', headers, body })
  return { status: answer.status, ...(await answer.json()) }
}

describe('a known client that registered itself', () => {
  it('has its mark in the list and on its own', async () => {
    const { status, client_id } = await register(urisOf('cursor'))
    expect(status).toBe(201)
    expect(await printedBy('clients', 'list')).toMatch(new RegExp(`${client_id}.*  known client cursor\n`))
    expect(await printedBy('clients', 'show', client_id)).toMatch(/^knownClient +cursor$/m)
  })
})

describe('clients add --known', () => {
  it('fills in the name and the redirect URIs', async () => {
    const added = JSON.parse(await printedBy('clients', 'add', '--known', 'claude', '--public', '--json'))
    expect(added).toMatchObject({
      client_name: 'Claude',
      known_client: 'claude',
      redirect_uris: urisOf('claude'),
    })
  })

  it('takes further redirect URIs and another name', async () => {
    const more = ['--name', 'Our Cursor', '--redirect-uri', 'http://localhost:8787/callback']
    expect(
      JSON.parse(await printedBy('clients', 'add', '--known', 'cursor', ...more, '--json')),
    ).toMatchObject({
      client_name: 'Our Cursor',
      redirect_uris: [...urisOf('cursor'), 'http://localhost:8787/callback'],
    })
  })

  it('lists the known clients where it knows none of this name', async () => {
    await printedBy('clients', 'add', '--known', 'cursr')
    expect(vi.mocked(console.error).mock.lastCall?.[0]).toMatch(/must be one of .*cursor/)
  })
})

it('counts refusals of known clients that are off, by client, and nothing else', async () => {
  for (const uris of [urisOf('chatgpt'), urisOf('chatgpt'), urisOf('grok'), ['https://app.example/cb']])
    expect((await register(uris)).status).toBe(400)
  const { knownClientsRefused } = await server.overview()
  expect(knownClientsRefused).toEqual({ chatgpt: 2, grok: 1 })
  expect(await printedBy('overview')).toContain('chatgpt refused 2 times in 24 hours')
})
