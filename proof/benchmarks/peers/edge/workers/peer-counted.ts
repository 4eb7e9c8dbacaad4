import { calling, withCounts } from './counts.ts'
import { type Kv, peerWorker } from './workers-oauth-provider.ts'

/** Seconds: how long KV may answer from the cache of a location, by default. */
const CACHED_SECONDS = 60

interface Cached {
  readonly text: unknown
  readonly at: number
}

/** What each location has read or written. */
const caches = new Map<string, Map<string, Cached>>()

/**
 * Simulates the cache of one location, which the emulator lacks: a read returns what the location has read, or written,
 * within the last minute, and not what others have written since.
 */
function cachedAt(location: string, kv: Kv): Kv {
  const cache = caches.get(location) ?? new Map<string, Cached>()
  caches.set(location, cache)
  const keep = (key: string, text: unknown) => void cache.set(key, { text, at: Date.now() })
  return {
    async get(key, options) {
      const cached = cache.get(key)
      const isFresh = cached !== undefined && Date.now() - cached.at < CACHED_SECONDS * 1000
      const text = isFresh ? cached.text : await kv.get(key)
      if (!isFresh) keep(key, text)
      return options?.type === 'json' && typeof text === 'string' ? JSON.parse(text) : text
    },
    async put(key, value, options) {
      await kv.put(key, value, options)
      keep(key, value)
    },
    async delete(key) {
      await kv.delete(key)
      keep(key, null)
    },
    list: (options) => kv.list(options),
  }
}

function counting(kv: Kv): Kv {
  return {
    get: (key, options) => calling('reads', () => kv.get(key, options)),
    put: (key, value, options) => calling('writes', () => kv.put(key, value, options)),
    delete: (key) => calling('deletes', () => kv.delete(key)),
    list: (options) => calling('lists', () => kv.list(options)),
  }
}

/** A request names its location, or none for KV as strong as in the emulator. */
function kvOf({ headers }: Request, kv: Kv): Kv {
  const location = headers.get('x-location')
  return counting(location === null ? kv : cachedAt(location, kv))
}

export default withCounts(peerWorker(kvOf))
