/** The commands that the documentation shows, typed as it shows them, one after the other. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newSigningKeys } from '@grantkit/core'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { COMMAND, shellLines } from '../../../docs/test/shell-lines.ts'
import { runCommand } from './command.ts'
import { type RunningService, runService } from './service.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const shown = shellLines().filter(({ line }) => COMMAND.test(line))
/** The key set of a client, which its page has in the folder of the reader. */
const JWKS = 'ledger.jwks.json'

const pages = [...new Set(shown.map(({ page }) => page))]

describe.each(pages)('%s', (page) => {
  let folder: string
  let service: RunningService
  let environment: Record<string, string>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grantkit-shown-commands-'))
    const database = `sqlite:${join(folder, 'service.sqlite')}`
    environment = { DATABASE_URL: database, STORE_URL: database, KEYS_FILE: join(folder, 'keys.json') }
    // The reader has started the service, which made the file.
    await runCommand(['keys', 'rotate'], environment)
    service = await runService(environment)
    // What pages export before their commands. A profile decides for itself how clients authenticate.
    const CLIENT_AUTHENTICATION = 'none,client_secret_post,client_secret_basic'
    Object.assign(environment, { BASE_URL: service.baseUrl })
    if (!page.endsWith('/fapi2.md')) Object.assign(environment, { CLIENT_AUTHENTICATION })
    const keys = (await newSigningKeys(['ES256'])).map(({ d: _, ...publicKey }) => publicKey)
    await writeFile(join(folder, JWKS), JSON.stringify({ keys }))
  })
  afterAll(async () => {
    await service.close()
    await rm(folder, { recursive: true })
  })

  it.each(shown.filter((one) => one.page === page))('$line', async ({ line }) => {
    const typed = line
      .replace('npx -y pnpm@12', 'pnpm')
      .replace('http://127.0.0.1:3000', service.baseUrl)
      .replace(JWKS, join(folder, JWKS))
    await execute(typed, environment)
  })
})

/** Rejects, with all it printed, if the command fails. The password of an account is read from standard input. */
async function execute(line: string, environment: Record<string, string>): Promise<void> {
  const { HOME } = process.env
  const command = promisify(execFile)('sh', ['-c', line], {
    cwd: ROOT,
    env: { ...PROGRAM_ENVIRONMENT, HOME, ...environment },
  })
  command.child.stdin?.end('a long passphrase\n')
  await command
}
