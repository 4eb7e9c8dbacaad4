import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { afterAll, describe, expect, it } from 'vitest'
import { SUITE, startScript } from './mcp-conformance/suite.ts'
import { runService } from './service.ts'
import { user } from './user.ts'

/** The conformance suite of the Model Context Protocol, against the MCP server and the authorization server. */

const service = await runService({ DEFAULT_SCOPE: 'courses:read' })
afterAll(() => service.close())

const conformance = (args: readonly string[]) => startScript(SUITE, args)

/** The scenarios that must pass whole. */
const GREEN = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'dns-rebinding-protection',
    'sep-2164-resource-not-found',
    'http-header-validation',
  ],
}

describe('the server suite', () => {
  it.each(Object.entries(GREEN))(
    'of protocol %s fails where a read-only catalogue has nothing to offer, and nowhere else',
    async (protocol, scenarios) => {
      const expected = fileURLToPath(new URL(`mcp-conformance/${protocol}.yaml`, import.meta.url))
      const server = ['server', '--url', `${service.baseUrl}/mcp`]
      const args = [...server, '--requirements', protocol, '--expected-failures', expected]
      const { ended, output } = conformance(args)
      expect(await ended, output()).toBe(0)
      for (const scenario of scenarios)
        expect(output()).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
    },
  )
})

interface Check {
  readonly id: string
  readonly status: string
}

/** Warnings stand in these files alone. */
async function checksIn(folder: string): Promise<Check[]> {
  const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('checks.json'))
  return (await Promise.all(files.map((path) => readFile(join(folder, path), 'utf8')))).flatMap((text) =>
    JSON.parse(text),
  )
}

describe('the authorization suite', () => {
  it('completes a grant without a warning, with a user in between', async () => {
    const folder = await temporaryFolder()
    const port = String(await freePort())
    const registration = await fetch(`${service.baseUrl}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
    })
    const { client_id } = (await registration.json()) as { client_id: string }
    const args = [
      'authorization',
      '--url',
      service.baseUrl,
      '--client-id',
      client_id,
      '--port',
      port,
      '--resource',
      `${service.baseUrl}/mcp`,
      '--output-dir',
      folder,
    ]
    const { program, ended, output } = conformance(args)
    while (!output().includes('Callback server started') && program.exitCode === null)
      await Promise.race([once(program.stdout, 'data'), ended])
    const [url = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(output()) ?? []
    expect(url, output()).not.toBe('')
    await (await fetch(await user(service.baseUrl)(url))).text()
    expect(await ended, output()).toBe(0)
    const checks = await checksIn(folder)
    const poor = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    expect(checks.map(({ status }) => status)).toContain('SUCCESS')
    expect(poor.map(({ id }) => id)).toEqual([])
  })
})
