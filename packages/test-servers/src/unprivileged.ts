import type { ChildProcess } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { launch } from './launched-server.ts'

/** Postgres and PgBouncer refuse to run as root; 65534 is `nobody`. */
export const SERVER_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Gives a folder to the user of the servers. */
export async function handOver(folder: string): Promise<void> {
  const { uid, gid } = { uid: -1, gid: -1, ...SERVER_USER }
  await chown(folder, uid, gid)
}

/** Starts a program of that user in a folder, and waits until its log says that it is ready. */
export function launchUnprivileged(
  executable: string,
  options: readonly string[],
  folder: string,
  ready: string,
): Promise<ChildProcess> {
  return launch(executable, options, ready, { cwd: folder, ...SERVER_USER })
}
