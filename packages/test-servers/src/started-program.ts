import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithThisProcess } from './launched-server.ts'

/** A program in any language, which serves HTTP. */
export interface StartedProgram {
  readonly url: string
  /** What it has printed. */
  output(): string
  /** Of the shell, or of what its line replaced it with by `exec`. */
  readonly pid: number
  /** Ends it as a person does at a terminal, by SIGINT. @returns the exit status */
  stop(): Promise<number | null>
  close(): Promise<void>
}

/**
 * Starts a program by a line of a shell, and waits until it answers.
 *
 * @param environment what it reads, with the port at which it listens on 127.0.0.1
 * @throws Error with its output if it ends early
 */
export async function startProgram(
  line: string,
  folder: string,
  environment: { readonly PORT: string; readonly [name: string]: string },
): Promise<StartedProgram> {
  const env = { ...process.env, ...environment }
  const program = spawn('sh', ['-ec', line], { cwd: folder, env, detached: true })
  endWithThisProcess(program)
  let output = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const url = `http://127.0.0.1:${environment.PORT}`
  while (!(await answers(url))) {
    if (program.exitCode !== null) {
      await ended(program)
      throw new Error(`It ended early and printed:\n${output}`)
    }
    await sleep(100)
  }
  return {
    url,
    output: () => output,
    pid: program.pid ?? 0,
    async stop() {
      const closed = once(program, 'close')
      program.kill('SIGINT')
      return (await closed)[0]
    },
    close: () => ended(program),
  }
}

/** A program may listen before it has read all of its own code, and end when that throws. */
export function answers(url: string): Promise<boolean> {
  return fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  )
}

/** Ends all that the line has started, and waits for it: a process that still ends may hold the lock of a database. */
async function ended(program: ChildProcess): Promise<void> {
  const exit = program.exitCode ?? program.signalCode ?? once(program, 'exit')
  const group = -(program.pid ?? 0)
  isSent('SIGKILL', group)
  await exit
  // A container whose first process reaps no others keeps them for ever.
  for (let wait = 0; wait < 100 && isSent(0, group); wait++) await sleep(20)
}

/** @returns whether there is a process that gets it */
function isSent(signal: NodeJS.Signals | 0, group: number): boolean {
  try {
    return process.kill(group, signal)
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false
    throw error
  }
}
