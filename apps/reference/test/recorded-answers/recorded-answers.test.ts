import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { STORIES } from './stories.ts'
import { withoutRandomness } from './transcript.ts'
import { newVisitor } from './visitor.ts'

/**
 * Recorded answers of the service: documents, pages, the school's API, MCP. `pnpm exec vitest run recorded-answers -u`
 * records again. Headers are in alphabetical order, as Fetch returns them.
 */

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 15, 8) }))
afterAll(() => void vi.useRealTimers())

describe('the recorded answers of the service', () => {
  it.each(Object.entries(STORIES))('about %s are given again', async (name, tell) => {
    const visitor = await newVisitor()
    await tell(visitor)
    const text = withoutRandomness(`${visitor.exchanges.join('\n\n')}\n`)
    await expect(text).toMatchFileSnapshot(`answers/${name}.txt`)
  })
})
