import { AsyncLocalStorage } from 'node:async_hooks'
import type { SeededRandom } from './seeded-random.ts'

const current = new AsyncLocalStorage<SeededRandom>()

/**
 * Each app draws from a stream of its own, and so does the server while it works for the app. A plan with an app less is then the
 * same run without that app, so a failed plan can be made smaller.
 */
export function drawingFrom<T>(stream: SeededRandom, work: () => T): T {
  return current.run(stream, work)
}

/** The stream of the app that is served now. */
export function currentStream(fallback: SeededRandom): SeededRandom {
  return current.getStore() ?? fallback
}
