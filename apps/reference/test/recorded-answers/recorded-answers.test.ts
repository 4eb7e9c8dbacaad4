import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { pageAnswers } from './pages.ts'
import { documentAnswers, mcpAnswers, schoolAnswers } from './programs.ts'
import { newVisitor } from './visitor.ts'

/**
 * One success and one error of each kind of page, document and endpoint of the service, as Fetch returns them.
 * `pnpm exec vitest run recorded-answers -u` records again.
 */

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 15, 8) }))
afterAll(() => void vi.useRealTimers())

describe('the recorded answers of the service', () => {
  it.each([
    ['documents', documentAnswers],
    ['mcp', mcpAnswers],
    ['pages', pageAnswers],
    ['school', schoolAnswers],
  ] as const)('about %s are unchanged', async (name, answers) => {
    const visitor = await newVisitor()
    await answers(visitor)
    await expect(visitor.text()).toMatchFileSnapshot(`answers/${name}.txt`)
  })
})
