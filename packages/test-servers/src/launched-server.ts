import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/**
 * Starts a program, and waits until it prints that it is ready. It gets no output of this process: a server that outlives a
 * failed test would keep that open, and whoever reads it would wait for ever.
 *
 * @throws Error with what it printed if it ends early
 */
export async function launch(
  executable: string,
  options: readonly string[],
  ready: string,
  place: Pick<SpawnOptions, 'cwd' | 'gid' | 'uid'> = {},
): Promise<ChildProcess> {
  const server = spawn(executable, options, { ...place, stdio: ['ignore', 'pipe', 'pipe'] })
  const outputs = [server.stdout, server.stderr]
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    for (const output of outputs)
      output.on('data', (chunk) => {
        printed += chunk
        if (printed.includes(ready)) resolve()
      })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`${executable} did not start:\n${printed}`)))
  })
  // Unread output would fill the pipes.
  for (const output of outputs) output.removeAllListeners('data').resume()
  return server
}
