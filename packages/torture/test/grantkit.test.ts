import { createMemoryStore } from '@grantkit/store-memory'
import { delayed } from '@grantkit/test-servers/delayed'
import { expect, test } from 'vitest'
import { CHECK_IDS } from '../src/check-id.ts'
import { faultsOf, raceAfterWindow, raceGrantkit } from './grantkit-run.ts'

/** A device waits five seconds before each of its polls, so the long test has them. */
const QUICK = CHECK_IDS.filter((id) => id !== 'device-twice')

test('a run finds nothing in two replicas of Grantkit on one store', async () => {
  const store = delayed(createMemoryStore())
  const report = await raceGrantkit([store, store], QUICK)
  expect(faultsOf(report)).toEqual([])
  expect(report.rounds.ended).toBe(report.rounds.planned)
})

test('a replay after the retry window ends its grant', async () => {
  const report = await raceAfterWindow([delayed(createMemoryStore())])
  expect(faultsOf(report)).toEqual([])
  expect(report.rounds.ended).toBe(report.rounds.planned)
})
