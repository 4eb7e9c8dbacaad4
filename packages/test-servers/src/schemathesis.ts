import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** schemathesis, a Python program that sends requests made from an OpenAPI document and validates the responses. */

const run = promisify(execFile)
const VERSION = '4.32.5'
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/schemathesis', import.meta.url))
const EXECUTABLE = join(FOLDER, 'bin', 'schemathesis')

/** It does not know that 413 and 431 reject a request that is too large. */
const CONFIGURATION = `[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 413, 415, 429, 431]
`

/**
 * Installs schemathesis into a folder of this repository, unless it is there.
 *
 * @returns why that was not possible, or `undefined`
 */
export async function installSchemathesis(): Promise<string | undefined> {
  try {
    const installed = await run(EXECUTABLE, ['--version']).catch(() => ({ stdout: '' }))
    if (installed.stdout.includes(VERSION)) return undefined
    await run('python3', ['-m', 'venv', '--clear', FOLDER])
    await run(join(FOLDER, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${VERSION}`])
    return undefined
  } catch (error) {
    return `schemathesis needs Python with venv, and its package: ${(error as Error).message}`
  }
}

/**
 * Compares a running service with its description.
 *
 * @param mostExamples requests that are made up for each operation
 * @returns what it printed, with `found` for whether there is a mismatch
 */
export async function runSchemathesis(
  url: string,
  mostExamples: number,
): Promise<{ readonly found: boolean; readonly printed: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-schemathesis-'))
  await writeFile(join(folder, 'schemathesis.toml'), CONFIGURATION)
  // Whether data that fits a schema is accepted depends on who is signed in and on what is stored.
  const checks = ['--checks', 'all', '--exclude-checks', 'positive_data_acceptance']
  const more = ['--max-examples', `${mostExamples}`, '--warnings', 'off', '--no-color']
  try {
    const { stdout } = await run(EXECUTABLE, ['run', url, ...checks, ...more], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    })
    return { found: false, printed: stdout }
  } catch (error) {
    return { found: true, printed: (error as { stdout?: string }).stdout || String(error) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
