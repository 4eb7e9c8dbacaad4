import { describe, expect, it } from 'vitest'
import { authorizationAnswers } from './authorization.ts'
import { clientAnswers } from './clients.ts'
import { documentAnswers } from './documents.ts'
import { FAULTS, faultAnswers } from './faults.ts'
import { pageAnswers } from './pages.ts'
import { newRecording } from './recording.ts'
import { tokenAnswers } from './tokens.ts'

/**
 * One success and one error of each endpoint, byte by byte: a change of a header or of the order of members shows here.
 * What an endpoint decides has a test of its own. `pnpm exec vitest run recorded-answers -u` records again.
 */
describe('the recorded answers', () => {
  it.each([
    ['authorization', authorizationAnswers, {}],
    ['tokens', tokenAnswers, {}],
    ['clients', clientAnswers, {}],
    ['pages', pageAnswers, {}],
    ['documents', documentAnswers, {}],
    ['faults', faultAnswers, FAULTS],
  ] as const)('of %s are unchanged', async (name, answers, settings) => {
    const recording = newRecording(settings)
    await answers(recording)
    await expect(recording.text()).toMatchFileSnapshot(`answers/${name}.txt`)
  })
})
