import { FRAMEWORKS } from '@grantkit/reference/frameworks'
import { expect, it } from 'vitest'
import { runCampaign } from './campaign.ts'

/** Fixed, so that a run fails only for its own change: `pnpm --dir proof fuzz` tries new requests. */
const SEED = 4712

it.each(Object.keys(FRAMEWORKS))(
  'keeps every promise to a thousand requests that no good client sends, on %s',
  async (FRAMEWORK) => {
    const { failure } = await runCampaign(1000, SEED, { FRAMEWORK })
    expect(failure).toBeUndefined()
  },
  600_000,
)
