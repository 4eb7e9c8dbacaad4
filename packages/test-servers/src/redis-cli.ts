import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs `redis-cli` and returns its output. */
export async function cli(...given: string[]): Promise<string> {
  return (await run('redis-cli', given)).stdout.trim()
}
