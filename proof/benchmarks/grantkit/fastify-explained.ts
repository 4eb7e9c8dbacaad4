import { createFlightRecorder, signInAttempts } from '@grantkit/explain'
import type { StartTarget } from '../src/workloads.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Grantkit on Fastify with `signInAttempts` and a recorder. It is measured next to the same without them. */
export const start: StartTarget = (port) => {
  const { onEvent } = createFlightRecorder()
  return grantkitTarget(port, serve, { observer: signInAttempts, onEvent })
}
