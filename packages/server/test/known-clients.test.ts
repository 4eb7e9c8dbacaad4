import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ranCommand } from './ran-command.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** Known clients as an operator sees them: by commands next to a running server. */

const urisOf = (name: string) => KNOWN_CLIENTS.find(({ id }) => id === name)?.redirectUris ?? []

let server: RunningServer
beforeAll(async () => {
  server = await runServer({ CIMD: 'off', KNOWN_CLIENTS: 'cursor' })
})
afterAll(() => server.close())

const printedBy = async (...words: readonly string[]) => (await ranCommand(server, words)).output

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
})

it('counts refusals of known clients that are off, by client, and nothing else', async () => {
  for (const uris of [urisOf('chatgpt'), urisOf('chatgpt'), urisOf('grok'), ['https://app.example/cb']])
    expect((await register(uris)).status).toBe(400)
  const { knownClientsRefused } = await server.operator.overview()
  expect(knownClientsRefused).toEqual({ chatgpt: 2, grok: 1 })
  expect(await printedBy('overview')).toContain('chatgpt refused 2 times in 24 hours')
})
