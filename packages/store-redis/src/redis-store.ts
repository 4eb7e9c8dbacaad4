import type { Client, Grant, Store, Transient } from '@grantkit/core'
import type { RedisCommands } from './commands.ts'
import { redisRecords } from './redis-records.ts'
import { type ReplicationOptions, replicated } from './replication.ts'
import { subjectIndex } from './subject-index.ts'

export interface RedisStoreOptions {
  /** Prefix of every key, so that services can share a server. Default `grantkit:`. */
  readonly keyPrefix?: string | undefined
  /** Time limit of a command in milliseconds; after that the store counts as unreachable. Default 500. */
  readonly commandTimeout?: number | undefined
  /** Waits until replicas have a change of a grant. Default: waits only for the primary. */
  readonly waitReplicas?: ReplicationOptions | undefined
}

/**
 * A store in Redis or Valkey, shared by all processes with a client of the same server.
 *
 * @param redis a connected client of `@redis/client`: a single node, a cluster or a sentinel
 */
export function createRedisStore(
  redis: RedisCommands,
  { keyPrefix = 'grantkit:', commandTimeout = 500, waitReplicas }: RedisStoreOptions = {},
): Store {
  const records = redisRecords<Grant>(redis, `${keyPrefix}grant:`, commandTimeout)
  const grants = waitReplicas === undefined ? records : replicated(records, redis, waitReplicas)
  const index = subjectIndex(redis, `${keyPrefix}subject:`, commandTimeout)
  return {
    clients: redisRecords<Client>(redis, `${keyPrefix}client:`, commandTimeout),
    grants: {
      ...grants,
      // The index gets a grant before any of its secrets are sent, and later changes do not touch the index.
      async insert(id, grant, expiresAt) {
        const { subject } = grant
        // A grant without a user is in no user's list.
        if (subject === undefined) return records.insert(id, grant, expiresAt)
        const [inserted, entries] = await Promise.all([
          records.insert(id, grant, expiresAt),
          index.add(subject, id, Math.max(expiresAt, grant.expiresAt)),
        ])
        if (entries % SWEEP_EVERY === 0) await listBySubject(subject)
        return inserted
      },
      listBySubject,
    },
    transients: redisRecords<Transient>(redis, `${keyPrefix}transient:`, commandTimeout),
  }

  async function listBySubject(subject: string): Promise<Grant[]> {
    const ids = await index.grantIds(subject)
    const found = await Promise.all(ids.map((id) => records.find(id)))
    await index.drop(
      subject,
      ids.filter((_, position) => found[position] === undefined),
    )
    return found.flatMap((stored) => (stored?.value.subject === subject ? [stored.value] : []))
  }
}

/** The number of new list entries between two cleanups of removed grants. */
const SWEEP_EVERY = 256
