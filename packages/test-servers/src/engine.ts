import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { folderInMemory } from './folder-in-memory.ts'
import { launch, onFreePort } from './launched-server.ts'
import { requireSystemPart, type SystemPartName } from './system-parts.ts'
import { handOver, SERVER_USER } from './unprivileged.ts'

/** A real server for one test, with all of its files in a folder of its own, on a free loopback port. */
export interface Engine {
  readonly port: number
  /** Until `close`. */
  readonly folder: string
  /** Ends it, like a crash. */
  stop(): Promise<void>
  /** Starts it again on its files; stops it first if it still runs. */
  restart(): Promise<void>
  /** Keeps its connections open but answers nothing, like a machine that lost its network. */
  freeze(): Promise<void>
  thaw(): void
  /** Also while it is frozen. */
  close(): Promise<void>
}

interface EngineProgram {
  readonly part: SystemPartName
  /** Makes its first files. */
  readonly prepare?: (folder: string, executable: string) => Promise<void>
  /** Of its command line. */
  readonly options: (port: number, folder: string) => readonly string[] | Promise<readonly string[]>
  /** What it prints when it serves. */
  readonly ready: string
  /** Default SIGKILL, which also ends what is frozen. */
  readonly ending?: NodeJS.Signals
}

export async function startEngine({
  part,
  prepare,
  options,
  ready,
  ending = 'SIGKILL',
}: EngineProgram): Promise<Engine> {
  const executable = requireSystemPart(part)
  const folder = await folderInMemory(part.toLowerCase())
  const remove = () => rm(folder, { recursive: true })
  const startedAt = async (port: number): Promise<Engine> => {
    const line = await options(port, folder)
    const start = () => launch(executable, line, ready, { cwd: folder, ...SERVER_USER })
    let server = await start()
    const stop = () => end(server, ending)
    return {
      port,
      folder,
      stop,
      async restart() {
        await stop()
        server = await start()
      },
      freeze: () => frozen(server),
      thaw: () => void server.kill('SIGCONT'),
      close: () => stop().then(remove),
    }
  }
  try {
    await handOver(folder)
    await prepare?.(folder, executable)
    return await onFreePort(startedAt)
  } catch (error) {
    await remove()
    throw error
  }
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  process.kill(-(server.pid ?? 0), signal)
  await ended
}

/** A signal takes effect after the call that sends it: a thread that has not stopped yet may still answer. */
async function frozen(server: ChildProcess): Promise<void> {
  server.kill('SIGSTOP')
  while (!(await isStopped(server.pid ?? 0))) await nextTurn()
}

/** Only Linux says it: elsewhere a server counts as stopped at once. */
async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const states = threads.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8').catch(() => ') T'))
  return (await Promise.all(states)).every((state) => state.includes(') T'))
}
