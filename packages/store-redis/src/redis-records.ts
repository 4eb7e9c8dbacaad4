import type { Records, Stored } from '@grantkit/core/feature'
import {
  decodeRecord,
  encodeRecord,
  newVersion,
  UnknownOutcomeError,
  VERSION_LENGTH,
} from '@grantkit/core/store-kit'
import { retryOnce, withTimeout } from './attempt.ts'
import { type RedisCommands, type Scanned, script } from './commands.ts'

/**
 * Writes the record with its expiry in one step, if its version is unchanged; a missing record has the empty version.
 * If the new text is there already, it counts as written: a write with a lost reply may be sent again.
 */
const writeIfUnchanged = script(`
local version = redis.call('GETRANGE', KEYS[1], 0, ${VERSION_LENGTH - 1})
if version == string.sub(ARGV[2], 1, ${VERSION_LENGTH}) then return 1 end
if version ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EXAT', ARGV[3])
return 1
`)

const NO_RECORD = ''

/**
 * One kind of record, one key per record. The text is the version, then JSON: a replacement compares only the version, so
 * a compare-and-swap sends 22 characters and not the old record. Every method is one command on one key, so all of them
 * work in a cluster.
 *
 * @param commandTimeout milliseconds
 */
export function redisRecords<T>(redis: RedisCommands, prefix: string, commandTimeout: number): Records<T> {
  const keyOf = (id: string) => prefix + id

  async function write(id: string, seen: string, value: T, expiresAt: number): Promise<boolean> {
    const input = {
      keys: [keyOf(id)],
      arguments: [seen, newVersion() + encodeRecord(value), String(expiresAt)],
    }
    return retryOnce(commandTimeout, async (repeated) => {
      const written = (await writeIfUnchanged(redis, input)) === 1
      // Not a lost race: the version of the first attempt may have been there, and a later write replaced it.
      if (!written && repeated) throw new UnknownOutcomeError()
      return written
    })
  }

  async function find(id: string): Promise<Stored<T> | undefined> {
    const text = await withTimeout(commandTimeout, redis.get(keyOf(id)))
    if (text === null) return undefined
    return { value: decodeRecord<T>(text.slice(VERSION_LENGTH)), version: text.slice(0, VERSION_LENGTH) }
  }

  return {
    find,
    insert: (id, value, expiresAt) => write(id, NO_RECORD, value, expiresAt),
    replace: (id, seen, value, expiresAt) => write(id, String(seen.version), value, expiresAt),
    remove: (id) =>
      retryOnce(commandTimeout, async (repeated) => Number(await redis.del(keyOf(id))) === 1 || repeated),
    async *scan() {
      const primaries = addressesOf(redis)
      for (const node of await nodesOf(redis)) {
        for await (const keys of keysIn(node)) {
          // So many reads are more likely to hit a short failure, and no request waits for a scan.
          const found = await Promise.all(
            keys.map((key) => retryOnce(commandTimeout, () => find(key.slice(prefix.length)))),
          )
          for (const stored of found) if (stored !== undefined) yield stored.value
        }
      }
      // A primary that came meanwhile may have keys that no step has seen.
      if (addressesOf(redis) !== primaries)
        throw new Error('The primaries of the cluster changed during a scan')
    },
  }

  async function* keysIn(node: Scanned): AsyncGenerator<readonly string[]> {
    let cursor = '0'
    do {
      const options = { MATCH: `${escapedGlob(prefix)}*`, COUNT: KEYS_PER_STEP }
      const step = await retryOnce(commandTimeout, () => node.scan(cursor, options))
      yield step.keys
      cursor = step.cursor
    } while (cursor !== '0')
  }
}

/**
 * What has a cursor of its own. The cursor of a cluster's client is the state of that client: a step that is repeated goes
 * on after the page whose reply was late.
 */
async function nodesOf(redis: RedisCommands): Promise<readonly Scanned[]> {
  const { masters } = redis
  if (masters === undefined) return [redis]
  return Promise.all(masters.map((master) => redis.nodeClient?.(master) ?? redis))
}

function addressesOf({ masters = [] }: RedisCommands): string {
  return masters
    .map(({ address }) => address)
    .toSorted()
    .join(' ')
}

/** Small, so that no other command waits long for a step. */
const KEYS_PER_STEP = 100

/** Escapes text as a glob that matches only this text. */
function escapedGlob(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, '\\$&')
}
