import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** @throws Error that names the files that are there already */
export function refuseExisting(folder: string, names: readonly string[]): void {
  const there = names.filter((name) => existsSync(join(folder, name)))
  if (there.length > 0) throw new Error(`Nothing was written: ${there.join(', ')} is there already.`)
}

/** Writes all files, or none. `.env` is readable by its owner only. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const written: string[] = []
  try {
    for (const [name, content] of Object.entries(files)) {
      // Exclusively: another program may write there meanwhile.
      await writeFile(join(folder, name), content, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 })
      written.push(name)
    }
  } catch (error) {
    for (const name of written) await rm(join(folder, name))
    throw error
  }
}

/** Whether a `package.json` there makes a TypeScript file with `export` a CommonJS module, which cannot be read. */
export async function lacksModuleType(folder: string): Promise<boolean> {
  const file = join(folder, 'package.json')
  return existsSync(file) && JSON.parse(await readFile(file, 'utf8')).type !== 'module'
}

/** Adds to `.gitignore` what must not be committed. */
export async function keepSecretsOut(folder: string): Promise<void> {
  const file = join(folder, '.gitignore')
  const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n') : []
  const missing = ['.env', '.grantkit/', 'data/'].filter((line) => !lines.includes(line))
  const start = lines.at(-1) ? '\n' : ''
  if (missing.length > 0) await appendFile(file, `${start}${missing.join('\n')}\n`)
}
