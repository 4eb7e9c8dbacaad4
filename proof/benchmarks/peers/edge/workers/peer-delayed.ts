import { type Kv, peerWorker } from './workers-oauth-provider.ts'

const MAX_MS = 2

/** Behind 0-2 ms of delay for each call of KV. */
export default peerWorker((_, kv) => {
  const behind = async <T>(answer: Promise<T>): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_MS))
    return answer
  }
  const delayed: Kv = {
    get: (key, options) => behind(kv.get(key, options)),
    put: (key, value, options) => behind(kv.put(key, value, options)),
    delete: (key) => behind(kv.delete(key)),
    list: (options) => behind(kv.list(options)),
  }
  return delayed
})
