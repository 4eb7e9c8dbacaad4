import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** The conformance suite of the Model Context Protocol, against the MCP server and the authorization server. */

let service: RunningService
beforeAll(async () => {
  service = await runService({ DEFAULT_SCOPE: 'courses:read' })
})
afterAll(() => service.close())

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
const SUITE = join(dirname(manifest), 'dist/index.js')

function conformance(given: readonly string[]) {
  const program = spawn(process.execPath, [SUITE, ...given], { env: { PATH: process.env.PATH ?? '' } })
  let output = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return { program, output: () => output, ended: once(program, 'close').then(([code]) => code as number) }
}

describe('the server suite', () => {
  it('fails where a read-only catalogue has nothing to offer, and nowhere else', async () => {
    const expected = fileURLToPath(new URL('mcp-conformance-expected-failures.yaml', import.meta.url))
    const given = [
      'server',
      '--url',
      `${service.baseUrl}/mcp`,
      '--spec-version',
      '2025-11-25',
      '--expected-failures',
      expected,
    ]
    const { ended, output } = conformance(given)
    expect(await ended, output()).toBe(0)
    for (const scenario of [
      'server-initialize',
      'ping',
      'tools-list',
      'tools-call-error',
      'resources-list',
      'dns-rebinding-protection',
    ]) {
      expect(output()).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
    }
  })
})

describe('the authorization suite', () => {
  it('finds the metadata and completes a grant, with a user in between', async () => {
    const port = String(await freePort())
    const registration = await fetch(`${service.baseUrl}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
    })
    const { client_id } = (await registration.json()) as { client_id: string }
    const given = [
      'authorization',
      '--url',
      service.baseUrl,
      '--client-id',
      client_id,
      '--port',
      port,
      '--resource',
      `${service.baseUrl}/mcp`,
    ]
    const { program, ended, output } = conformance(given)
    while (!output().includes('Callback server started') && program.exitCode === null)
      await Promise.race([once(program.stdout, 'data'), ended])
    const [url = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(output()) ?? []
    expect(url, output()).not.toBe('')
    await (await fetch(await user(service.baseUrl)(url))).text()
    expect(await ended, output()).toBe(0)
    expect(output()).not.toMatch(/[1-9]\d* failed/)
  })
})
