import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMcpClients, mcpClients } from '@grantkit/testkit'
import { afterEach, vi } from 'vitest'
import { runService } from './service.ts'
import { user } from './user.ts'

/** The MCP clients that people use, by their recorded requests. */

const pass = (seconds: number) =>
  void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
afterEach(() => void vi.useRealTimers())

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-clients-'))
  const CIMD_PINNED = join(folder, 'pinned.json')
  const documents = mcpClients.flatMap(({ document = [] }) => document)
  await writeFile(CIMD_PINNED, JSON.stringify(documents))
  const service = await runService({
    CIMD_PINNED,
    CIMD_ADMIT: 'https://chatgpt.com/oauth/client.json',
    DEFAULT_SCOPE: 'courses:read',
    RATE_LIMITS: 'off',
  })
  await rm(folder, { recursive: true })
  return {
    resource: `${service.baseUrl}/mcp`,
    browser: user(service.baseUrl),
    scope: 'courses:read',
    laterScope: 'students:read',
    close: service.close,
  }
}

// Visual Studio Code registers https redirect URIs together with loopback ones, which the service allows only for
// integrations.
describeMcpClients('the service', start, { documents: true, refused: ['Visual Studio Code'], pass })
