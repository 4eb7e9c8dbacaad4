/** No answer came in time. The call may still have run. */
class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`The store did not answer within ${milliseconds} ms`)
    this.name = 'NoAnswerError'
  }
}

/** What a call gave, and whether it was sent twice. */
export interface Answer<T> {
  readonly result: T
  readonly repeated: boolean
}

/** Long enough for an object to start again, and short compared with the time limit. In milliseconds. */
const PAUSE_MS = 50

/**
 * Makes a call, and once more after an error that says so: only a call that may safely run twice. Both together have the
 * time limit.
 */
export function answerOf<T>(
  milliseconds: number,
  call: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean,
): Promise<Answer<T>> {
  const attempts = call().then(
    (result) => ({ result, repeated: false }),
    async (error) => {
      if (!mayRepeat(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (1 + Math.random())))
      return { result: await call(), repeated: true }
    },
  )
  return within(milliseconds, attempts)
}

function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(milliseconds)), milliseconds)
  })
  return Promise.race([answer, limit]).finally(() => clearTimeout(timer))
}
