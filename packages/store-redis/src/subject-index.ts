import { createHash } from 'node:crypto'
import { type RedisCommands, script } from './commands.ts'

/**
 * Adds a grant to the list of its subject until the record may go, drops what is over, and lets the list itself
 * go with its last entry. The list may name a grant that is gone, so whoever reads it looks at the records.
 */
const addUntil = script(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('EXPIREAT', KEYS[1], last[2])
return 1
`)

export interface SubjectIndex {
  add(subject: string, grantId: string, expiresAt: number): Promise<unknown>
  grantIds(subject: string): Promise<string[]>
  /** Forgets entries whose records are gone. */
  drop(subject: string, grantIds: readonly string[]): Promise<unknown>
}

export function subjectIndex(redis: RedisCommands, prefix: string, now: () => number): SubjectIndex {
  // A subject is the application's and may hold anything; its hash is a fixed-length key that gives nobody away.
  const keyOf = (subject: string) => prefix + createHash('sha256').update(subject).digest('base64url')
  return {
    add: (subject, grantId, expiresAt) =>
      addUntil(redis, { keys: [keyOf(subject)], arguments: [String(expiresAt), grantId, String(now())] }),
    grantIds: (subject) => redis.zRange(keyOf(subject), now(), '+inf', { BY: 'SCORE' }),
    drop: async (subject, grantIds) => (grantIds.length > 0 ? redis.zRem(keyOf(subject), [...grantIds]) : 0),
  }
}
