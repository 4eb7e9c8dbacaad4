import { tryTwice } from '@grantkit/core/store-kit'

/** No reply came in time. The command may still have run. */
export class NoReplyError extends Error {
  constructor(milliseconds: number) {
    super(`Redis did not reply within ${milliseconds} ms`)
    this.name = 'NoReplyError'
  }
}

/** Limits the wait for a reply, whatever the client waits for: a connection, a new primary, an unreachable server. */
export function withTimeout<T>(milliseconds: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // The reply may have come while this process stood still: it is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(reject, new NoReplyError(milliseconds)), milliseconds)
    reply.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** Makes a command within its time limit, and once more if it failed: only one that may safely run twice. */
export function retryOnce<T>(milliseconds: number, call: (repeated: boolean) => Promise<T>): Promise<T> {
  return tryTwice(milliseconds, (limit, repeated) => withTimeout(limit, call(repeated)))
}
