import type { Storage } from '@grantkit/server'
import { onTestFinished } from 'vitest'
import { schoolConfig } from '../src/config.ts'
import { openSchoolStorage } from '../src/service.ts'
import { newStorage } from './new-storage.ts'

/** @returns the settings, once the tables that they name are there, as after a start */
export async function migrated<Environment extends Record<string, string>>(
  environment: Environment,
): Promise<Environment> {
  const storage = await openSchoolStorage(schoolConfig(environment), () => {})
  await storage.close()
  return environment
}

/** New storage for a service that the current test puts together itself, closed after it. */
export async function storageOfTest(): Promise<Storage> {
  const { environment, close } = await newStorage()
  const storage = await openSchoolStorage(schoolConfig(environment), () => {})
  onTestFinished(async () => {
    await storage.close()
    await close()
  })
  return storage
}
