import { type ChildProcess, spawn } from 'node:child_process'
import { chown } from 'node:fs/promises'

/** Postgres and PgBouncer refuse to run as root; 65534 is `nobody`. */
export const SERVER_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Gives a folder to the user of the servers. */
export async function handOver(folder: string): Promise<void> {
  const { uid, gid } = { uid: -1, gid: -1, ...SERVER_USER }
  await chown(folder, uid, gid)
}

/** Starts a program in a given folder, and waits until its log says that it is ready. */
export async function launchUnprivileged(
  executable: string,
  options: readonly string[],
  folder: string,
  ready: string,
): Promise<ChildProcess> {
  const server = spawn(executable, options, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...SERVER_USER,
  })
  const log: string[] = []
  await new Promise<void>((resolve, reject) => {
    for (const output of [server.stdout, server.stderr])
      output.on('data', (chunk) => {
        log.push(String(chunk))
        if (log.join('').includes(ready)) resolve()
      })
    server.once('exit', () => reject(new Error(`${executable} did not start:\n${log.join('')}`)))
  })
  // An unread log would fill the pipe.
  for (const output of [server.stdout, server.stderr]) output.removeAllListeners('data').resume()
  return server
}
