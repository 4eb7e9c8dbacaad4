import { rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const TRY_AGAIN_MS = 10

/**
 * Does work that no other process does on this file at the same time: what it read is what it replaces. The lock is a
 * file beside it, which only one process can create.
 *
 * @throws Error when the lock stays taken: a process that was killed may have left it
 */
export async function locked<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  for (let waited = 0; !(await created(lock)); waited += TRY_AGAIN_MS) {
    if (waited >= waitMs) throw new Error(`${path} is locked; if no process is changing it, remove ${lock}`)
    await sleep(TRY_AGAIN_MS)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function created(lock: string): Promise<boolean> {
  return writeFile(lock, '', { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}
