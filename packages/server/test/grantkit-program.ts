import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@grantkit/test-servers/free-port'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { type StartedProgram, startProgram } from '@grantkit/test-servers/started-program'
import { onTestFinished } from 'vitest'

/** The program `grantkit` with the settings of one deployment. */
export interface GrantkitProgram {
  /** Runs a command. @returns its output @throws Error when it ends with another status than 0 */
  run(words: readonly string[], input?: string): Promise<string>
  /** Starts a server, on a free loopback port unless the settings name one. Resolves when it listens. */
  launch(): Promise<StartedProgram>
  /** The same for the current test. */
  start(): Promise<StartedProgram>
}

const BIN = join(import.meta.dirname, '../src/bin.ts')

export function grantkitProgram(
  folder: string,
  environment: Readonly<Record<string, string>>,
): GrantkitProgram {
  async function launch(): Promise<StartedProgram> {
    const line = `exec ${process.execPath} ${BIN} start`
    const PORT = environment.PORT ?? String(await freePort())
    const address = { HOST: '127.0.0.1', PORT, BASE_URL: `http://127.0.0.1:${PORT}` }
    return startProgram(line, folder, { ...PROGRAM_ENVIRONMENT, ...address, ...environment, PORT })
  }
  return {
    async run(words, input = '') {
      const env = { ...PROGRAM_ENVIRONMENT, ...environment }
      const running = promisify(execFile)(process.execPath, [BIN, ...words], { cwd: folder, env })
      running.child.stdin?.end(input)
      return (await running).stdout
    },
    launch,
    async start() {
      const program = await launch()
      onTestFinished(() => program.close())
      return program
    },
  }
}
