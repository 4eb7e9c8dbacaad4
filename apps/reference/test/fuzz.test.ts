import { expect, it } from 'vitest'
import { runCampaign } from '../fuzz/campaign.ts'

it('keeps every promise to two thousand requests that no good client sends', async () => {
  const seed = Date.now() % 2 ** 31
  console.log(`seed ${seed}`)
  const { answers, failure } = await runCampaign(2000, seed)
  expect(failure, `seed ${seed}`).toBeUndefined()
  // Requests that get nowhere would break nothing either.
  expect(answers.get(200)).toBeGreaterThan(300)
}, 180_000)
