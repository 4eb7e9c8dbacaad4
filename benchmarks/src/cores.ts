import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Server and generator do not compete: each has its own core, if the system supports it. */
export const SERVER_CORE = 0
export const GENERATOR_CORE = 1

export const pinned = canPin()

/** The command that runs a program on one core; the program itself if pinning is not possible. */
export function onCore(core: number, command: string, args: readonly string[]): [string, string[]] {
  return pinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]]
}

/** Moves every thread of this process. */
export function pinThisProcess(core: number): void {
  if (pinned) execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)])
}

function canPin(): boolean {
  if (process.platform !== 'linux' || availableParallelism() < 2) return false
  try {
    execFileSync('taskset', ['--version'])
    return true
  } catch {
    return false
  }
}
