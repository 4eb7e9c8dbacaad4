import { onTestFinished, vi } from 'vitest'
import { freePort } from './free-port.ts'

/** Runs the program of a page in this process. It listens on the port of its environment. @returns its address */
export async function quickStart(load: () => Promise<unknown>): Promise<string> {
  const port = await freePort()
  vi.stubEnv('PORT', String(port))
  onTestFinished(() => void vi.unstubAllEnvs())
  await load()
  return `http://127.0.0.1:${port}`
}
