import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const PATIENCE_MS = 60_000

/**
 * Runs a command of the operator by the shell, with one argument at its end.
 *
 * @returns the last line that it prints
 * @throws Error when it fails or takes longer than a minute
 */
export async function runCommand(
  command: string,
  argument = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  // As a parameter of the shell, so that nothing in a URL is read as code.
  const script = argument === '' ? command : `${command} "$1"`
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, 'sh', argument], {
    timeout: PATIENCE_MS,
    env: { ...process.env, ...environment },
  })
  return stdout.trim().split('\n').at(-1)?.trim() ?? ''
}
