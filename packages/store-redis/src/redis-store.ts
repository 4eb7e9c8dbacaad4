import type { Client, Grant, Store } from '@grantkit/core'
import type { RedisCommands } from './commands.ts'
import { redisRecords } from './redis-records.ts'
import { subjectIndex } from './subject-index.ts'

export interface RedisStoreOptions {
  /** Goes before every key, so that services can share a server. Default `grantkit:`. */
  readonly keyPrefix?: string
}

/**
 * A store in Redis or Valkey, shared by every process that is handed a client of the same server.
 *
 * @param redis a connected client of `@redis/client`: a single node, a cluster or a sentinel
 */
export function createRedisStore(
  redis: RedisCommands,
  { keyPrefix = 'grantkit:' }: RedisStoreOptions = {},
): Store {
  const grants = redisRecords<Grant>(redis, `${keyPrefix}grant:`)
  const index = subjectIndex(redis, `${keyPrefix}subject:`, epochSeconds)
  return {
    clients: redisRecords<Client>(redis, `${keyPrefix}client:`),
    grants: {
      ...grants,
      // The index is written beside the record, in the same round trip: it may lag, the record is what counts.
      async insert(id, grant, expiresAt) {
        const [inserted] = await Promise.all([
          grants.insert(id, grant, expiresAt),
          index.add(grant.subject, id, expiresAt),
        ])
        return inserted
      },
      async replace(id, seen, grant, expiresAt) {
        const [replaced] = await Promise.all([
          grants.replace(id, seen, grant, expiresAt),
          index.add(grant.subject, id, expiresAt),
        ])
        return replaced
      },
      async listBySubject(subject) {
        const ids = await index.grantIds(subject)
        const found = await Promise.all(ids.map((id) => grants.find(id)))
        await index.drop(
          subject,
          ids.filter((_, position) => found[position] === undefined),
        )
        return found.flatMap((stored) => (stored?.value.subject === subject ? [stored.value] : []))
      },
    },
  }
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
