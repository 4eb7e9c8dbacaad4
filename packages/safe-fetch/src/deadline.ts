import { FetchFailure } from './fetch-failure.ts'

/** One signal for a whole fetch: aborted when its time is over, or when nobody waits for it any more. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Forgets timer and listener. Connections that still hold the signal are closed. */
  end(): void
}

export function startDeadline(milliseconds: number, caller: AbortSignal): Deadline {
  const controller = new AbortController()
  const giveUp = () => controller.abort(new FetchFailure('timeout', 'Nobody waits for the answer any more'))
  const timer = setTimeout(() => {
    controller.abort(new FetchFailure('timeout', `No whole answer within ${milliseconds} ms`))
  }, milliseconds)
  caller.addEventListener('abort', giveUp)
  if (caller.aborted) giveUp()
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      caller.removeEventListener('abort', giveUp)
      controller.abort()
    },
  }
}
