import { expect, it } from 'vitest'
import { runCampaign } from '../fuzz/campaign.ts'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'

const SEED = 4712
/** `fuzz.test.ts` has the default one. */
const OTHERS = Object.keys(FRAMEWORKS).filter((framework) => framework !== 'fastify')

it.each(OTHERS)(
  'keeps every promise to a thousand requests that no good client sends, on %s',
  async (FRAMEWORK) => {
    const { failure } = await runCampaign(1000, SEED, { FRAMEWORK })
    expect(failure).toBeUndefined()
  },
  600_000,
)
