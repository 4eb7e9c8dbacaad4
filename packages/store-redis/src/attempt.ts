import { setTimeout as sleep } from 'node:timers/promises'

/** No reply came in time. The command may have been carried out all the same. */
export class NoReplyError extends Error {
  constructor(milliseconds: number) {
    super(`Redis did not reply within ${milliseconds} ms`)
    this.name = 'NoReplyError'
  }
}

/**
 * Waits no longer than this for a reply, whatever the client is waiting for: a connection, a new primary, a server
 * that is cut off.
 */
export function within<T>(milliseconds: number, reply: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoReplyError(milliseconds)), milliseconds)
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

/** Long enough for a connection that broke to be there again, short beside the time a command may take. */
const PAUSE_MS = 50

/** Calls once more what failed, for calls that do no harm when both come through. */
export async function twice<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch {
    await sleep(PAUSE_MS * (1 + Math.random()))
    return call()
  }
}
