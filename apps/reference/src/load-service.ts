import type { ConfiguredService } from '@grantkit/server/commands'
import type { SchoolConfig } from './config.ts'

/** The service, as the environment configures it. It is loaded at the first call. */
export async function loadService(): Promise<ConfiguredService<SchoolConfig>> {
  const { schoolConfig } = await import('./config.ts')
  const config = schoolConfig(process.env)
  const { schoolDefinition } = await import('./service.ts')
  return { config, definition: schoolDefinition(config) }
}
