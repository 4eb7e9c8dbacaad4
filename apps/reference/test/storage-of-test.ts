import { onTestFinished } from 'vitest'
import { parseSettings } from '../src/settings/settings.ts'
import { openStorage, type Storage } from '../src/storage.ts'
import { newStorage } from './new-storage.ts'

/** New storage for a service that the current test puts together itself, closed after it. */
export async function storageOfTest(): Promise<Storage> {
  const { environment, close } = await newStorage()
  const storage = await openStorage(parseSettings(environment), () => {})
  onTestFinished(async () => {
    await storage.close()
    await close()
  })
  return storage
}
