import type { Store } from '@grantkit/core'
import type {
  Client,
  Grant,
  GrantOwner,
  GrantPage,
  GrantRecords,
  PageRequest,
  Transient,
  Transients,
} from '@grantkit/core/feature'
import { cursorOf, namespaceKey, placeOf } from '@grantkit/core/store-kit'
import type { RedisCommands } from './commands.ts'
import { redisRecords } from './redis-records.ts'
import { type ReplicationOptions, replicated, sharedWait } from './replication.ts'
import { subjectIndex } from './subject-index.ts'
import { refuseConnectionInWorker } from './worker.ts'

export interface RedisStoreOptions {
  /** Prefix of every key, so that services can share a server. Default `grantkit:`. */
  readonly keyPrefix?: string | undefined
  /**
   * Time limit of a command in milliseconds; after that the store counts as unreachable. A write is repeated once, with
   * half the limit. Default 400.
   */
  readonly commandTimeout?: number | undefined
  /** Waits until replicas have a write. Default: waits only for the primary. */
  readonly waitReplicas?: ReplicationOptions | undefined
}

export interface RedisStore extends Store {
  readonly transients: Transients
  within(namespace: string): Store
}

/**
 * A store in Redis or Valkey, shared by all processes with a client of the same server.
 *
 * @param redis a connected client of `@redis/client`: a single node, a cluster or a sentinel
 * @throws Error in a Cloudflare Worker, where no client can keep its connection
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
): RedisStore {
  refuseConnectionInWorker(redis)
  const wait = waitReplicas && sharedWait(redis, waitReplicas)
  const recordsOf = (prefix: string) => {
    const clients = redisRecords<Client>(redis, `${prefix}client:`, commandTimeout)
    const grants = grantRecords(redis, prefix, commandTimeout)
    const transients = redisRecords<Transient>(redis, `${prefix}transient:`, commandTimeout)
    if (wait === undefined) return { clients, grants, transients }
    return {
      clients: replicated(clients, wait),
      grants: { ...grants, ...replicated(grants, wait) },
      transients: replicated(transients, wait),
    }
  }
  return {
    ...recordsOf(keyPrefix),
    // No kind of record begins with `~`, so no scan meets the keys of another namespace.
    within: (namespace) => recordsOf(`${keyPrefix}${namespaceKey(namespace)}:`),
  }
}

function grantRecords(redis: RedisCommands, prefix: string, commandTimeout: number): GrantRecords {
  const records = redisRecords<Grant>(redis, `${prefix}grant:`, commandTimeout)
  const index = subjectIndex(redis, `${prefix}subject:`, commandTimeout)
  return {
    ...records,
    async insert(id, grant, expiresAt) {
      const inserted = await records.insert(id, grant, expiresAt)
      const { subject, clientId } = grant
      // A grant without a user is in no list.
      if (subject === undefined) return inserted
      // After the record, or a listing would drop the entry; and if the id exists, a first attempt may have failed here.
      const until = Math.max(expiresAt, grant.expiresAt)
      await Promise.all([{ subject }, { subject, clientId }].map((owner) => enlist(owner, id, until)))
      return inserted
    },
    list,
  }

  async function enlist(owner: GrantOwner, id: string, until: number): Promise<void> {
    const entries = await index.add(owner, id, until)
    // No request waits for this cleanup: the next page finds what it misses.
    if (isSweepDue(entries)) sweep(owner).catch(() => {})
  }

  async function sweep(owner: GrantOwner): Promise<void> {
    let after: string | undefined
    do after = (await list(owner, { limit: FIRST_SWEEP, after })).next
    while (after !== undefined)
  }

  /** Drops the entries of grants that have ended, so that no later page meets them. */
  async function list(owner: GrantOwner, { limit, after }: PageRequest): Promise<GrantPage> {
    const start = placeOf(after)
    const places = await index.page(owner, start, limit)
    const found = await Promise.all(places.map(({ key }) => records.find(key)))
    const isLive = (at: number) => found[at]?.value.subject === owner.subject
    const live = places.filter((_, at) => isLive(at))
    await index.drop(
      owner,
      places.filter((_, at) => !isLive(at)),
    )
    return {
      grants: found.flatMap((stored, at) => (stored !== undefined && isLive(at) ? [stored.value] : [])),
      // Never a place whose entry was dropped: the next page could not find it.
      next: places.length === limit ? cursorOf(live.at(-1) ?? start) : undefined,
    }
  }
}

/** Each time that a list has doubled: a list is at most twice as long as what lives, and its cleanups stay rare. */
function isSweepDue(entries: number): boolean {
  return entries >= FIRST_SWEEP && Number.isInteger(Math.log2(entries))
}

const FIRST_SWEEP = 256
