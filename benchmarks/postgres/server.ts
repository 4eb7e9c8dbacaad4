import { rmSync } from 'node:fs'
import { startPostgres } from '../../packages/test-servers/src/postgres-server.ts'
import { GENERATOR_CORE, pinThisProcess, SERVER_CORE } from '../src/cores.ts'

/**
 * A Postgres that waits for its log at every commit, as it comes. It runs on the generator's core, so that the target has
 * the server core alone. It ends with this process.
 *
 * @returns its URL
 */
export async function startPostgresHere(): Promise<string> {
  pinThisProcess(GENERATOR_CORE)
  const { url, folder, stop } = await startPostgres()
  pinThisProcess(SERVER_CORE)
  process.on('exit', () => {
    void stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return url
}
