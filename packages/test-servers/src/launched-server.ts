import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { freePort } from './free-port.ts'

/**
 * Starts a program, and waits until it prints that it is ready. It gets no output of this process: a server that outlives a
 * failed test would keep that open, and whoever reads it would wait for ever.
 *
 * @param place `cwd` is a folder of its own @throws Error with what it printed if it ends early
 */
export async function launch(
  executable: string,
  options: readonly string[],
  ready: string,
  place: Pick<SpawnOptions, 'cwd' | 'gid' | 'uid'> = {},
): Promise<ChildProcess> {
  const server = spawn(executable, options, { ...place, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const outputs = [server.stdout, server.stderr]
  let printed = ''
  const isReady = new Promise<void>((resolve, reject) => {
    for (const output of outputs)
      output.on('data', (chunk) => {
        printed += chunk
        if (printed.includes(ready)) resolve()
      })
    server.once('error', reject)
    server.once('close', () => reject(new Error(`${executable} did not start:\n${printed}`)))
  })
  endWithThisProcess(server, place.cwd?.toString())
  await isReady
  // Unread output would fill the pipes.
  for (const output of outputs) output.removeAllListeners('data').resume()
  return server
}

/**
 * When this process ends, however that comes, all that is left of the group that a server leads ends with it, and its folder goes:
 * a test that fails, or is killed itself, closes nothing. A shell waits for that, since the end of this process closes its input.
 */
export function endWithThisProcess(server: ChildProcess, folder = ''): void {
  if (server.pid === undefined) return
  const end = 'read -r _; kill -s KILL -- "-$0"; rm -rf -- "$1"'
  const options: SpawnOptions = { detached: true, stdio: ['pipe', 'ignore', 'ignore'] }
  const warden = spawn('sh', ['-c', end, `${server.pid}`, folder], options)
  warden.unref()
  // What it needs of this process is only that it lives.
  ;(warden.stdin as Socket).on('error', () => {}).unref()
  server.once('exit', () => warden.kill('SIGKILL'))
}

/** Starts a server on a free port, or on another one if a program has taken the port since it was probed. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  const first = await freePort()
  return start(first).catch(async (error: Error) => {
    if (!/address already in use/i.test(error.message)) throw error
    return start(await freePort())
  })
}
