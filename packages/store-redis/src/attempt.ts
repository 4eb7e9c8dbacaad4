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

/** Long enough to reconnect, and short compared with the time limit of a command. */
const PAUSE_MS = 50

/** Retries a failed call once. Only for calls that may safely run twice. */
export async function retryOnce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch {
    await sleep(PAUSE_MS * (1 + Math.random()))
    return call()
  }
}
