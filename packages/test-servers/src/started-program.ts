import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program in any language, which listens. */
export interface StartedProgram {
  readonly url: string
  /** What it has printed. */
  output(): string
  close(): Promise<void>
}

/**
 * Starts a program by a line of a shell, and waits until it listens.
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
  let output = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  while (!(await listens(Number(environment.PORT)))) {
    if (program.exitCode !== null) {
      await ended(program)
      throw new Error(`It ended early and printed:\n${output}`)
    }
    await sleep(100)
  }
  return {
    url: `http://127.0.0.1:${environment.PORT}`,
    output: () => output,
    close: () => ended(program),
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return connected
}

/** Ends all that the line has started. */
async function ended(program: ChildProcess): Promise<void> {
  const exit = program.exitCode === null ? once(program, 'exit') : undefined
  try {
    process.kill(-(program.pid ?? 0), 'SIGKILL')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
  await exit
}
