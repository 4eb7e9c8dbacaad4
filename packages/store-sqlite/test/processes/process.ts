import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Client, Grant } from '@grantkit/core/feature'

/** What a program works with. The testkit, which makes samples, cannot be loaded there. */
export interface Begin {
  readonly path: string
  readonly client: Client
  readonly grant: Grant
  /** Epoch seconds. */
  readonly end: number
}

/**
 * Starts a program of this folder; it waits for its `Begin`.
 *
 * @param kilobytes the system lets it write no file beyond this size
 */
export async function startProcess(program: string, kilobytes?: number): Promise<ChildProcess> {
  const limit = kilobytes === undefined ? '' : `ulimit -f ${2 * kilobytes};`
  const child = spawn(
    'sh',
    ['-c', `${limit} exec "$0" "$1"`, process.execPath, join(import.meta.dirname, program)],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  await once(child, 'message')
  return child
}

/** In a program: reports that it is ready, and waits. */
export async function begun(): Promise<Begin> {
  process.send?.('ready')
  const [begin] = await once(process, 'message')
  return begin as Begin
}
