import { createHash } from 'node:crypto'
import type { GrantOwner } from '@grantkit/core/feature'
import { type Place, subjectKey } from '@grantkit/core/store-kit'
import { retryOnce, withTimeout } from './attempt.ts'
import { type RedisCommands, script } from './commands.ts'

/**
 * Adds a grant to a list until its absolute end, drops expired entries, and lets the list expire with its last entry. The
 * list may name a removed grant, so a reader must check the records. Grants of one lifetime end in the order in which they
 * began, so the end orders the list.
 */
const addUntil = script(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('EXPIREAT', KEYS[1], last[2])
return redis.call('ZCARD', KEYS[1])
`)

/**
 * The entries after a place, in the order of the list. If the entry of that place was dropped, the entries with the same
 * end come again: none is missed.
 */
const entriesAfter = script(`
local rank = redis.call('ZREVRANK', KEYS[1], ARGV[2])
local first = rank and rank + 1 or redis.call('ZCOUNT', KEYS[1], '(' .. ARGV[1], '+inf')
return redis.call('ZREVRANGE', KEYS[1], first, first + ARGV[3] - 1, 'WITHSCORES')
`)

export interface SubjectIndex {
  /** Returns the number of entries in the list. */
  add(owner: GrantOwner, grantId: string, expiresAt: number): Promise<number>
  /** The entries after a place, `limit` at most. */
  page(owner: GrantOwner, after: Place, limit: number): Promise<Place[]>
  /** Removes entries whose grants have ended. */
  drop(owner: GrantOwner, entries: readonly Place[]): Promise<unknown>
}

/** @param commandTimeout milliseconds */
export function subjectIndex(redis: RedisCommands, prefix: string, commandTimeout: number): SubjectIndex {
  const keyOf = ({ subject, clientId }: GrantOwner) =>
    prefix + (clientId === undefined ? hashOf(subject) : subjectKey(subject, clientId))
  return {
    add: async (owner, grantId, expiresAt) => {
      const input = { keys: [keyOf(owner)], arguments: [String(expiresAt), grantId, String(now())] }
      return Number(await retryOnce(commandTimeout, () => addUntil(redis, input)))
    },
    async page(owner, { order, key }, limit) {
      const input = { keys: [keyOf(owner)], arguments: [String(order), key, String(limit)] }
      const flat = (await withTimeout(commandTimeout, entriesAfter(redis, input))) as string[]
      return flat.flatMap((id, at) => (at % 2 === 0 ? { key: id, order: Number(flat[at + 1]) } : []))
    },
    drop: async (owner, entries) =>
      entries.length > 0 &&
      withTimeout(
        commandTimeout,
        redis.zRem(
          keyOf(owner),
          entries.map(({ key }) => key),
        ),
      ),
  }
}

/** A subject may be any text; its hash is a key of fixed length that reveals no user. */
function hashOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url')
}

/** Epoch seconds. */
function now(): number {
  return Math.floor(Date.now() / 1000)
}
