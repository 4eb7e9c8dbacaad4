import { expect, it } from 'vitest'
import { runCampaign } from '../fuzz/campaign.ts'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'

const SEED = 4712

it.each(Object.keys(FRAMEWORKS))(
  'keeps every promise to ten thousand requests that no good client sends, on %s',
  async (FRAMEWORK) => {
    const { failure } = await runCampaign(10_000, SEED, { FRAMEWORK })
    expect(failure).toBeUndefined()
  },
  600_000,
)
