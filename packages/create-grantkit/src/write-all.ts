import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectFiles } from './project-files.ts'

const WITH_SECRETS = ['.env', '.dev.vars']

/** Writes all files, or none: if one cannot be written, those before it are removed again. */
export function writeAll(folder: string, files: ProjectFiles): void {
  const created = mkdirSync(folder, { recursive: true })
  const written: string[] = []
  try {
    for (const [name, content] of Object.entries(files)) {
      // Exclusively: another program may write there meanwhile.
      writeFileSync(join(folder, name), content, {
        flag: 'wx',
        mode: WITH_SECRETS.includes(name) ? 0o600 : 0o644,
      })
      written.push(name)
    }
  } catch (error) {
    for (const name of written) rmSync(join(folder, name))
    if (created !== undefined) rmdirSync(folder)
    throw error
  }
}
