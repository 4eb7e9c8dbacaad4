const TIMEOUT_MS = 5000

/**
 * The result of a function of the operator. One that comes later is dropped, and so is its error.
 *
 * @throws Error without a result after five seconds, which names the function
 */
export async function withinTime<T>(name: string, ask: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${name} did not respond in time`)), TIMEOUT_MS)
  try {
    return await Promise.race([ask(), promise])
  } finally {
    clearTimeout(timer)
  }
}
