import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'

/** A program of the service as a person runs it, with its output and its end. */
export interface Program {
  output(): string
  /** Resolves when the program has printed a text. Rejects with all its output if it ends first. */
  printed(text: string): Promise<void>
  readonly pid: number
  /** The exit status. */
  readonly ended: Promise<number | null>
  /** Default: as a person ends it at a terminal, by SIGINT. */
  stop(signal?: 'SIGINT' | 'SIGTERM'): void
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Its standard input. */
  readonly input?: string
  /** The folder of the release of the program. Default: this release. */
  readonly release?: string
}

/** No program leaves a database behind, unless the test configures one. */
const DATABASE_URL = 'memory:'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** @param program a path that starts at `src/`, and words of its command line */
export function run(
  program: string,
  args: readonly string[] = [],
  { environment = {}, input = '', release = ROOT }: RunOptions = {},
): Program {
  const [file = '', ...words] = program.split(' ')
  const path = join(release, 'apps/reference/src', file)
  const running = spawn(process.execPath, [path, ...words, ...args], {
    env: { ...PROGRAM_ENVIRONMENT, DATABASE_URL, ...environment },
  })
  let output = ''
  for (const stream of [running.stdout, running.stderr]) {
    stream.on('data', (chunk) => {
      output += stripVTControlCharacters(String(chunk))
    })
  }
  running.stdin.end(input)
  const ended = once(running, 'close').then(([code]) => code as number | null)
  const tooLate = () => ended.then(() => Promise.reject(new Error(`It ended early and printed:\n${output}`)))
  return {
    output: () => output,
    async printed(text) {
      while (!output.includes(text)) await Promise.race([once(running.stdout, 'data'), tooLate()])
    },
    ended,
    pid: running.pid ?? 0,
    stop: (signal = 'SIGINT') => void running.kill(signal),
  }
}
