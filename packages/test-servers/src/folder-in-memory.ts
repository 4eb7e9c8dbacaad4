import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder, in memory where the system has such: tests are not about the speed of a shared disk. */
export function folderInMemory(name: string): Promise<string> {
  return mkdtemp(join(MEMORY, `grantkit-${name}-`))
}

const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
