import type { Records } from '@grantkit/core'
import { type RedisCommands, script } from './commands.ts'
import { decode, encode, VERSION_LENGTH } from './record-text.ts'

/** Writes the record and its expiry in one step, if the version is still the one that was seen. */
const replaceIfUnchanged = script(`
if redis.call('GETRANGE', KEYS[1], 0, ${VERSION_LENGTH - 1}) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EXAT', ARGV[3])
return 1
`)

/** One kind of record, one key each. Every verb is one command on one key, so all work in a cluster. */
export function redisRecords<T>(redis: RedisCommands, prefix: string): Records<T> {
  const keyOf = (id: string) => prefix + id
  return {
    async find(id) {
      const text = await redis.get(keyOf(id))
      return text === null ? undefined : decode<T>(text)
    },

    async insert(id, value, expiresAt) {
      const expiration = { type: 'EXAT', value: expiresAt } as const
      return (await redis.set(keyOf(id), encode(value), { condition: 'NX', expiration })) !== null
    },

    async replace(id, seen, value, expiresAt) {
      const given = [String(seen.version), encode(value), String(expiresAt)]
      return (await replaceIfUnchanged(redis, { keys: [keyOf(id)], arguments: given })) === 1
    },

    async remove(id) {
      await redis.del(keyOf(id))
    },
  }
}
