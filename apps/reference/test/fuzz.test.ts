import { expect, it } from 'vitest'
import { runCampaign } from '../fuzz/campaign.ts'

/** Fixed, so that a run fails only for its own change: `pnpm fuzz` tries new requests. */
const SEED = 4711

it('keeps every promise for a thousand mutated requests', async () => {
  const { answers, failure } = await runCampaign(1000, SEED)
  expect(failure).toBeUndefined()
  // Makes sure that requests succeed: refused ones would break nothing.
  expect(answers.get(200)).toBeGreaterThan(150)
})
