import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { UnknownOutcomeError } from '@grantkit/core/store-kit'

/** No answer came in time. The command may still have run. */
class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`DynamoDB did not answer within ${milliseconds} ms`)
    this.name = 'NoAnswerError'
  }
}

/**
 * The `send` of a client with a limit for all attempts of a command together, the waits between them and the wait for
 * credentials, for which the client has none.
 */
export function sendWithin(milliseconds: number, client: DynamoDBClient): DynamoDBClient['send'] {
  const send = (command: never) =>
    withTimeout(milliseconds, (abortSignal) => client.send(command, { abortSignal }))
  return send as DynamoDBClient['send']
}

/** @param call gets a signal that ends it */
function withTimeout<T>(milliseconds: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = new AbortController()
    // The answer may have come while this process stood still: it is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(stop), milliseconds)
    function stop() {
      reject(new NoAnswerError(milliseconds))
      stopped.abort()
    }
    call(stopped.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

/** What the client reports of its attempts, in answers and in errors. */
interface Sent {
  readonly $metadata?: { readonly attempts?: number | undefined } | undefined
}

/** Whether the client sent a command more than once: an earlier attempt may have been carried out. */
function wasRepeated({ $metadata }: Sent): boolean {
  return ($metadata?.attempts ?? 1) > 1
}

/**
 * A write with a condition.
 *
 * @returns whether the condition held
 * @throws UnknownOutcomeError when it did not hold for a repeated write: an earlier attempt may have been carried out, and then
 * other writes have followed it
 */
export async function ifConditionHolds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error
    if (wasRepeated(error as Sent)) throw new UnknownOutcomeError()
    return false
  }
}

/**
 * A deletion with a condition. A repeated one that finds nothing counts as carried out.
 *
 * @returns whether it deleted
 */
export async function deleted(deletion: Promise<unknown>): Promise<boolean> {
  try {
    return await ifConditionHolds(deletion)
  } catch (error) {
    if (error instanceof UnknownOutcomeError) return true
    throw error
  }
}
