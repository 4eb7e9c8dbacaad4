import { createMemoryStore } from '@grantkit/store-memory'
import { delayed } from '@grantkit/test-servers/delayed'
import { test } from 'vitest'
import { faultsOf, raceGrantkit } from './grantkit-run.ts'

// They mostly wait.
test.concurrent('a run with every check finds nothing in two replicas of Grantkit on one store', async ({
  expect,
}) => {
  const store = delayed(createMemoryStore())
  const report = await raceGrantkit([store, store])
  expect(faultsOf(report)).toEqual([])
  expect(report.rounds.ended).toBe(report.rounds.planned)
})

test.concurrent('a replay after the retry window ends its grant', async ({ expect }) => {
  const declared = { rotation: 'same-pair', overlapSeconds: 1, clockSkewSeconds: 1 } as const
  const afterWindow = { only: ['replay-contained'], slow: true, declared } as const
  const report = await raceGrantkit([delayed(createMemoryStore())], afterWindow, { refreshRetryWindow: 1 })
  expect(faultsOf(report)).toEqual([])
  expect(report.rounds.ended).toBe(report.rounds.planned)
})
