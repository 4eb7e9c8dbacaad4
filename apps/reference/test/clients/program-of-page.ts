import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { answers, type StartedProgram, startProgram } from '@grantkit/test-servers/started-program'
import type { Section } from './sections.ts'

const run = promisify(execFile)
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/clients/', import.meta.url))
const INSTALLED = 'installed'

/** Writes the files of a page and runs its lines for installing, unless these ran here before. @returns the folder */
export async function installProgram({ library, install, files }: Section): Promise<string> {
  const folder = join(CACHE, library.replaceAll(/\W+/g, '-').toLowerCase())
  const lines = JSON.stringify([install, files])
  if ((await readFile(join(folder, INSTALLED), 'utf8').catch(() => '')) === lines) return folder
  for (const [name, text] of files) await write(join(folder, name), text)
  await run('sh', ['-ec', install], { cwd: folder })
  await write(join(folder, INSTALLED), lines)
  return folder
}

/**
 * @param folder where it was installed
 * @param environment what the page says the program reads
 */
export async function startProgramOfPage(
  { start, files }: Section,
  folder: string,
  environment: { readonly PORT: string; readonly APPLICATION_PORT: string; readonly [name: string]: string },
): Promise<StartedProgram> {
  for (const [name, text] of files) await write(join(folder, name), text)
  const program = await startProgram(start, folder, environment)
  // Apache may listen before the application behind it does.
  const application = files.some(([, text]) => text.includes('APPLICATION_PORT'))
  while (application && !(await answers(`http://127.0.0.1:${environment.APPLICATION_PORT}`))) await sleep(50)
  return program
}

/** A file that is as it should be keeps its time, by which compilers go. */
async function write(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
