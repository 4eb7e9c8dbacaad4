import { createHash } from 'node:crypto'
import { retryOnce, withTimeout } from './attempt.ts'
import { type RedisCommands, script } from './commands.ts'

/**
 * Adds a grant to the list of its subject until its absolute end, drops expired entries, and lets the list expire with
 * its last entry. The list may name a removed grant, so a reader must check the records.
 */
const addUntil = script(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('EXPIREAT', KEYS[1], last[2])
return redis.call('ZCARD', KEYS[1])
`)

export interface SubjectIndex {
  /** Returns the number of entries in the list. */
  add(subject: string, grantId: string, expiresAt: number): Promise<number>
  /** Some ids at a time, so that no command is slow. An id may come twice. */
  steps(subject: string): AsyncIterable<string[]>
  /** Removes entries whose records are gone. */
  drop(subject: string, grantIds: readonly string[]): Promise<unknown>
}

/** @param commandTimeout milliseconds */
export function subjectIndex(redis: RedisCommands, prefix: string, commandTimeout: number): SubjectIndex {
  // A subject comes from the application and may be any text; its hash is a key of fixed length that reveals no user.
  const keyOf = (subject: string) => prefix + createHash('sha256').update(subject).digest('base64url')
  return {
    add: async (subject, grantId, expiresAt) => {
      const given = { keys: [keyOf(subject)], arguments: [String(expiresAt), grantId, String(now())] }
      return Number(await retryOnce(commandTimeout, () => addUntil(redis, given)))
    },
    async *steps(subject) {
      let cursor = '0'
      do {
        const step = redis.zScan(keyOf(subject), cursor, { COUNT: IDS_PER_STEP })
        const { members, ...next } = await withTimeout(commandTimeout, step)
        yield members.map(({ value }) => value)
        cursor = next.cursor
      } while (cursor !== '0')
    },
    drop: async (subject, grantIds) =>
      grantIds.length > 0 && withTimeout(commandTimeout, redis.zRem(keyOf(subject), [...grantIds])),
  }
}

const IDS_PER_STEP = 200

/** Epoch seconds. */
function now(): number {
  return Math.floor(Date.now() / 1000)
}
