import type { Client, Grant, Store, Transient } from '@grantkit/core'
import type { RedisCommands } from './commands.ts'
import { redisRecords } from './redis-records.ts'
import { type ReplicationOptions, replicated } from './replication.ts'
import { subjectIndex } from './subject-index.ts'

export interface RedisStoreOptions {
  /** Prefix of every key, so that services can share a server. Default `grantkit:`. */
  readonly keyPrefix?: string | undefined
  /**
   * Time limit of a command in milliseconds; after that the store counts as unreachable. A write is repeated once, with
   * half the limit. Default 400.
   */
  readonly commandTimeout?: number | undefined
  /** Waits until replicas have a change of a grant. Default: waits only for the primary. */
  readonly waitReplicas?: ReplicationOptions | undefined
}

/**
 * A store in Redis or Valkey, shared by all processes with a client of the same server.
 *
 * @param redis a connected client of `@redis/client`: a single node, a cluster or a sentinel
 *
 * @example
 * ```ts
 * import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
 *
 * const connection = await connectToRedis('redis://127.0.0.1:6379')
 * const store = createRedisStore(connection, { keyPrefix: 'notes:' })
 * ```
 */
export function createRedisStore(
  redis: RedisCommands,
  { keyPrefix = 'grantkit:', commandTimeout = 400, waitReplicas }: RedisStoreOptions = {},
): Store {
  const records = redisRecords<Grant>(redis, `${keyPrefix}grant:`, commandTimeout)
  const grants = waitReplicas === undefined ? records : replicated(records, redis, waitReplicas)
  const index = subjectIndex(redis, `${keyPrefix}subject:`, commandTimeout)
  return {
    clients: redisRecords<Client>(redis, `${keyPrefix}client:`, commandTimeout),
    grants: {
      ...grants,
      async insert(id, grant, expiresAt) {
        const inserted = await records.insert(id, grant, expiresAt)
        const { subject } = grant
        // A grant without a user is in no user's list.
        if (subject === undefined) return inserted
        // After the record, or a listing would drop the entry; and if the id exists, a first attempt may have failed here.
        const entries = await index.add(subject, id, Math.max(expiresAt, grant.expiresAt))
        // Nobody waits for this cleanup: what it misses, the next listing finds.
        if (isSweepDue(entries)) listBySubject(subject).catch(() => {})
        return inserted
      },
      listBySubject,
    },
    transients: redisRecords<Transient>(redis, `${keyPrefix}transient:`, commandTimeout),
  }

  async function listBySubject(subject: string, most = Number.POSITIVE_INFINITY): Promise<Grant[]> {
    const grants = new Map<string, Grant>()
    for await (const ids of index.steps(subject)) {
      const found = await Promise.all(ids.map((id) => records.find(id)))
      for (const stored of found)
        if (stored?.value.subject === subject) grants.set(stored.value.id, stored.value)
      await index.drop(
        subject,
        ids.filter((_, position) => found[position] === undefined),
      )
      if (grants.size >= most) break
    }
    return [...grants.values()].slice(0, most)
  }
}

/** Each time that a list has doubled: a list is at most twice as long as what lives, and its cleanups stay rare. */
function isSweepDue(entries: number): boolean {
  return entries >= FIRST_SWEEP && Number.isInteger(Math.log2(entries))
}

const FIRST_SWEEP = 256
