/** The part of a client that the check needs; a cluster would have to be asked node by node. */
export interface ConfigurableRedis {
  configGet(parameter: string): Promise<Record<string, string>>
}

/** What a server is set to that could lose records, in words for the operator; empty when all is well. */
export async function settingsWarnings(redis: ConfigurableRedis): Promise<string[]> {
  const get = async (name: string) => (await redis.configGet(name))[name] ?? ''
  const [policy, appendOnly, save] = await Promise.all([
    get('maxmemory-policy'),
    get('appendonly'),
    get('save'),
  ])
  return [
    ...(policy === 'noeviction'
      ? []
      : [`maxmemory-policy is ${policy}: Redis may drop live grants; set it to noeviction`]),
    ...(appendOnly === 'yes' || save !== ''
      ? []
      : ['nothing is persisted: a restart of Redis forgets every client and grant']),
  ]
}
