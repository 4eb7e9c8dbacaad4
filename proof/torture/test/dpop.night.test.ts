import { createMemoryStore } from '@grantkit/store-memory'
import { delayed } from '@grantkit/test-servers/delayed'
import { expect, test } from 'vitest'
import { faultsOf, raceGrantkit } from './grantkit-run.ts'
import { raceVictim } from './race-victim.ts'

test('a run whose clients prove possession finds nothing in two replicas that demand nonces', async () => {
  const store = delayed(createMemoryStore())
  const report = await raceGrantkit([store, store], { dpop: true })
  expect(faultsOf(report)).toEqual([])
  expect(report.rounds.ended).toBe(report.rounds.planned)
  expect(report.findings.find(({ id }) => id === 'other-key')?.verdict).toBe('passed')
})

test('a run finds a server that binds no token to a key', async () => {
  const report = await raceVictim({ variant: 'strict' }, { dpop: true, only: ['other-key'] })
  expect(faultsOf(report)).toMatchObject([{ id: 'other-key', verdict: 'unsafe' }])
})
