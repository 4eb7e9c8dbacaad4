import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Section } from './sections.ts'

/** A program of docs/clients that runs, as its page says. */
export interface ProgramOfPage {
  readonly url: string
  /** What it has printed. */
  output(): string
  close(): Promise<void>
}

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
export async function startProgram(
  { start, files }: Section,
  folder: string,
  environment: { readonly PORT: string; readonly [name: string]: string },
): Promise<ProgramOfPage> {
  for (const [name, text] of files) await write(join(folder, name), text)
  const env = { ...process.env, ...environment }
  const program = spawn('sh', ['-ec', start], { cwd: folder, env, detached: true })
  let output = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  while (!(await listens(Number(environment.PORT)))) {
    if (program.exitCode !== null) {
      await ended(program)
      throw new Error(`It ended early and printed:\n${output}`)
    }
    await sleep(100)
  }
  return {
    url: `http://127.0.0.1:${environment.PORT}`,
    output: () => output,
    close: () => ended(program),
  }
}

/** A file that is as it should be keeps its time, by which compilers go. */
async function write(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return connected
}

/** Ends all that the lines of the page have started. */
async function ended(program: ChildProcess): Promise<void> {
  const exit = program.exitCode === null ? once(program, 'exit') : undefined
  try {
    process.kill(-(program.pid ?? 0), 'SIGKILL')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
  await exit
}
