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
  /** Starts a server on a free loopback port, for the current test. Resolves when it listens. */
  start(): Promise<StartedProgram>
}

const BIN = join(import.meta.dirname, '../src/bin.ts')

export function grantkitProgram(
  folder: string,
  environment: Readonly<Record<string, string>>,
): GrantkitProgram {
  return {
    async run(words, input = '') {
      const env = { ...PROGRAM_ENVIRONMENT, ...environment }
      const running = promisify(execFile)(process.execPath, [BIN, ...words], { cwd: folder, env })
      running.child.stdin?.end(input)
      return (await running).stdout
    },
    async start() {
      const line = `exec ${process.execPath} ${BIN} start`
      const PORT = String(await freePort())
      const program = await startProgram(line, folder, {
        ...PROGRAM_ENVIRONMENT,
        ...environment,
        HOST: '127.0.0.1',
        PORT,
      })
      onTestFinished(() => program.close())
      return program
    },
  }
}
