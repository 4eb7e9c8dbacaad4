import { setTimeout as sleep } from 'node:timers/promises'

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

/** Long enough to reconnect, and short compared with the time limit of a command. */
const PAUSE_MS = 50

/** A write was sent twice. The first one may have been carried out, and then other writes have followed it. */
export class UnknownOutcomeError extends Error {
  constructor() {
    super('Redis may have carried out a write whose reply was lost')
    this.name = 'UnknownOutcomeError'
  }
}

/**
 * Makes a call, and once more if it failed. Only for calls that may safely run twice. The second attempt has half the
 * time, so that a request to a silent Redis is answered within a second.
 *
 * @param call told whether an earlier attempt may have run
 */
export async function retryOnce<T>(
  milliseconds: number,
  call: (repeated: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await withTimeout(milliseconds, call(false))
  } catch {
    await sleep(PAUSE_MS * (1 + Math.random()))
    return withTimeout(milliseconds / 2, call(true))
  }
}
