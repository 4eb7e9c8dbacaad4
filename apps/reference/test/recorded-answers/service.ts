import { fileURLToPath } from 'node:url'
import { createService } from '../../src/service.ts'
import { parseSettings } from '../../src/settings/settings.ts'
import { inProcess } from '../in-process.ts'
import { storageOfTest } from '../storage-of-test.ts'

export const BASE_URL = 'http://127.0.0.1:3000'

/** Keys from RFC 7515 A.2.1 and RFC 8037 A.1, so they are no secret. */
const KEYS_FILE = fileURLToPath(new URL('published-keys.json', import.meta.url))

/** The whole service without a framework. */
export async function openService(): Promise<(request: Request) => Promise<Response>> {
  const settings = parseSettings({
    BASE_URL,
    KEYS_FILE,
    SECRET: 'a secret of the tests, long enough to pass',
  })
  const deaf = { onEvent: () => {}, onError: () => {} }
  return inProcess(await createService(settings, deaf, await storageOfTest()))
}
