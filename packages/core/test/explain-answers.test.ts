import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signInAttempts } from '@grantkit/explain'
import { describe, expect, it } from 'vitest'
import { authorizationAnswers } from './recorded-answers/authorization.ts'
import { clientAnswers } from './recorded-answers/clients.ts'
import { documentAnswers } from './recorded-answers/documents.ts'
import { FAULTS, faultAnswers } from './recorded-answers/faults.ts'
import { pageAnswers } from './recorded-answers/pages.ts'
import { newRecording } from './recorded-answers/recording.ts'
import { tokenAnswers } from './recorded-answers/tokens.ts'

/** All that the option adds to an answer. */
const REFERENCES = [
  /^\* step.*\n/gm,
  /^grantkit-reference: .*\n/gm,
  /, Grantkit-Reference$/gm,
  /,"reference":"[\w-]+"/g,
  / \(ref [\w-]+\)/g,
  /\+%28ref\+[\w-]+%29/g,
]

/** `recorded-answers.test.ts` compares the same answers without the option. */
describe('with the option explain, all answers', () => {
  it.each([
    ['authorization', authorizationAnswers, {}],
    ['tokens', tokenAnswers, {}],
    ['clients', clientAnswers, {}],
    ['pages', pageAnswers, {}],
    ['documents', documentAnswers, {}],
    ['faults', faultAnswers, FAULTS],
  ] as const)('of %s are as without it, apart from references', async (name, answers, settings) => {
    const recording = newRecording({ ...settings, observer: signInAttempts })
    await answers(recording)
    const file = join(import.meta.dirname, 'recorded-answers/answers', `${name}.txt`)
    const plain = REFERENCES.reduce((text, added) => text.replaceAll(added, ''), recording.text())
    expect(plain).not.toBe(recording.text())
    expect(plain).toBe(await readFile(file, 'utf8'))
  })
})
