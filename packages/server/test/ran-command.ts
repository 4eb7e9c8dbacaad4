import { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { vi } from 'vitest'
import { runProgram } from '../src/commands/command-line.ts'
import { grantkit } from '../src/commands/grantkit.ts'
import type { Config } from '../src/config/config.ts'

/** The output of a command without its colours, what it says of errors, and the status of its program. */
export interface RanCommand {
  readonly output: string
  readonly errors: string
  readonly status: unknown
}

/** Runs a command in this process, with the configuration of a server that may run. @param input its standard input */
export async function ranCommand(
  server: { readonly config: Config },
  words: readonly string[],
  input = '',
): Promise<RanCommand> {
  const [output, errors]: [string[], string[]] = [[], []]
  const spies = [
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([input]) as typeof process.stdin),
    vi.spyOn(console, 'log').mockImplementation((line) => void output.push(line)),
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(collecting(output) as typeof process.stdout),
    vi.spyOn(console, 'error').mockImplementation((line) => void errors.push(line)),
  ]
  try {
    const program = grantkit(async () => ({ config: server.config, definition: {} }))
    await runProgram('grantkit', program, words)
    return { output: textOf(output), errors: textOf(errors), status: process.exitCode ?? 0 }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = undefined
  }
}

/** Of one command: a program that pipes into its output leaves listeners there until it ends. */
function collecting(output: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      output.push(String(chunk))
      done()
    },
  })
}

function textOf(lines: readonly string[]): string {
  return stripVTControlCharacters(lines.join('\n'))
}
