import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@grantkit/core'
import { listenOnFastify } from '../../apps/reference/src/frameworks/fastify.ts'
import { createLogger, logErrors, logEvents } from '../../apps/reference/src/operations/logging.ts'
import { createService } from '../../apps/reference/src/service.ts'
import { parseSettings } from '../../apps/reference/src/settings/settings.ts'
import { keySetText } from '../../apps/reference/src/settings/signing-keys-file.ts'
import { openStorage } from '../../apps/reference/src/storage.ts'
import type { StartTarget } from '../src/target.ts'
import { referenceServiceWork } from './reference-service-work.ts'
import { SECRET, signingKeys } from './service.ts'
import { signIn } from './sign-in.ts'

/**
 * The reference service on Fastify as it comes, with its log and its limits, but records and accounts in memory, and
 * codes that a round has time for.
 */
export const start: StartTarget = async (port) => {
  const settings = parseSettings({
    PORT: String(port),
    SECRET,
    KEYS_FILE: await keysFile(),
    STORE_URL: 'memory:',
    DATABASE_URL: 'memory:',
    CODE_LIFETIME: '600',
  })
  const { BASE_URL: baseUrl } = settings
  const log = createLogger(settings)
  const storage = await openStorage(settings, (warning) => log.warn(warning))
  const listeners = { onEvent: logEvents(log), onError: logErrors(log) }
  const service = await createService(settings, listeners, { ...storage, store: withoutLists(storage.store) })
  await listenOnFastify(service, { host: '127.0.0.1', port, https: false })
  return { work: await referenceServiceWork(service, await signIn(baseUrl)) }
}

/** All grants of a round are of one user and client. Where no list names them, their limit ends none. */
function withoutLists({ grants, ...store }: Store): Store {
  return { ...store, grants: { ...grants, list: async () => ({ grants: [] }) } }
}

async function keysFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'grantkit-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'keys.json')
  await writeFile(path, keySetText(await signingKeys()))
  return path
}
