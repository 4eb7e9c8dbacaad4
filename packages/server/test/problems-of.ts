import { parseConfig } from '../src/config/config.ts'
import type { ServerConfig } from '../src/config/schema.ts'
import { ConfigError } from '../src/config/text-file.ts'

/** What a start says is wrong with a configuration, which may have the wrong types. */
export function problemsOf(
  environment: Readonly<Record<string, string>>,
  config?: object,
): readonly string[] {
  try {
    parseConfig({ environment, config: config as ServerConfig, folder: '/srv/auth' })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
