import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** What a user types when the program asks for it. */
export interface Typed {
  readonly after: string
  readonly text: string
}

/** Runs a program to its end, for two minutes at most. @returns what it printed @throws Error with that, if it fails */
export async function runProgram(
  command: readonly string[],
  options: RunOptions,
  typed?: Typed,
): Promise<string> {
  const [file = '', ...given] = command
  const program = spawn(file, given, { ...options, detached: true })
  await once(program, 'spawn')
  // Its group, so that what it started ends with it.
  const overdue = setTimeout(() => process.kill(-Number(program.pid), 'SIGKILL'), 120_000)
  const output = printedBy(program, typed)
  await once(program, 'close')
  clearTimeout(overdue)
  if (program.exitCode === 0) return output()
  throw new Error(`${command.join(' ')} ended with ${program.exitCode ?? program.signalCode}:\n${output()}`)
}

/** What it has printed so far. The user types when the program asks. */
function printedBy(program: ChildProcessWithoutNullStreams, typed?: Typed): () => string {
  let printed = ''
  let waiting = typed
  if (typed === undefined) program.stdin.end()
  const hear = (chunk: Buffer) => {
    printed += chunk
    if (waiting === undefined || !printed.includes(waiting.after)) return
    program.stdin.write(waiting.text)
    waiting = undefined
  }
  program.stdout.on('data', hear)
  program.stderr.on('data', hear)
  return () => printed
}

/** As `runProgram`, for a program that insists on a terminal: the `script` of Linux is one. */
export function runInTerminal(
  command: readonly string[],
  options: RunOptions,
  typed?: Typed,
): Promise<string> {
  const line = command.map((word) => `'${word}'`).join(' ')
  return runProgram(['script', '--quiet', '--return', '--command', line, '/dev/null'], options, typed)
}
