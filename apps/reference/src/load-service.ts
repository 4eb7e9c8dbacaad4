import type { ConfiguredService } from '@grantkit/server/commands'
import type { SchoolConfig } from './config.ts'

/** The service, as the environment configures it. It is loaded at the first call. */
export async function loadService(): Promise<ConfiguredService<SchoolConfig>> {
  const { schoolConfig } = await import('./config.ts')
  const config = schoolConfig(process.env)
  return { config, definition: (await import('./service.ts')).SCHOOL }
}
