/** A client of one node. */
export interface ConfigurableRedis {
  configGet(parameter: string): Promise<Record<string, string>>
}

/**
 * Warnings about settings of the primaries that could lose records; empty if all is well.
 *
 * @example
 * ```ts
 * import { connectToRedis, settingsWarnings } from '@grantkit/store-redis'
 *
 * const connection = await connectToRedis('redis://127.0.0.1:6379')
 * for (const warning of await settingsWarnings(connection)) console.warn(warning)
 * ```
 */
export async function settingsWarnings(redis: { nodes(): ConfigurableRedis[] }): Promise<string[]> {
  const warnings = await Promise.all(redis.nodes().map(nodeWarnings))
  return [...new Set(warnings.flat())]
}

async function nodeWarnings(node: ConfigurableRedis): Promise<string[]> {
  const get = async (name: string) => (await node.configGet(name))[name] ?? ''
  try {
    return warningsOf(await get('maxmemory-policy'), await get('appendonly'), await get('save'))
  } catch (error) {
    // Hosted services often refuse CONFIG; that must not stop the start.
    const reason = error instanceof Error ? error.message : String(error)
    return [`the settings of Redis cannot be read (${reason}): see that maxmemory-policy is noeviction`]
  }
}

function warningsOf(policy: string, appendOnly: string, save: string): string[] {
  return [
    ...(policy === 'noeviction'
      ? []
      : [`maxmemory-policy is ${policy}: Redis may drop live grants; set it to noeviction`]),
    ...(appendOnly === 'yes' || save !== ''
      ? []
      : ['nothing is persisted: a restart of Redis forgets every client and grant']),
  ]
}
