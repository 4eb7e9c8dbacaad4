import { expect, it } from 'vitest'
import { runCampaign } from '../fuzz/campaign.ts'

/** The same requests in every run, so that one change cannot fail for what another brought in: `pnpm fuzz` tries new ones. */
const SEED = 4711

it('keeps every promise to a thousand requests that no good client sends', async () => {
  const { answers, failure } = await runCampaign(1000, SEED)
  expect(failure).toBeUndefined()
  // Requests that get nowhere would break nothing either.
  expect(answers.get(200)).toBeGreaterThan(150)
})
