import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { tracesIn } from '../core/itf.ts'
import { replay } from '../core/replay.ts'
import type { NowAt } from '../core/replicas.ts'
import { KEPT } from '../kept-traces.ts'
import { openService } from './model-service.ts'

describe('two replicas of a server, by HTTP, do what the model of a grant did', () => {
  it.each(tracesIn(process.env.MODEL_TRACES ?? KEPT))('in $name', async (trace) => {
    const clock = { now: 0 }
    const store = createMemoryStore({ now: () => clock.now })
    const subject = {
      clock,
      grants: store.grants,
      replicas: (nowAt: NowAt, isDevice: boolean) => openService(store, nowAt, isDevice),
    }
    await replay(subject, trace, (actions, { model, core }) =>
      expect(core, `after ${actions}`).toEqual(model),
    )
  })
})
