import { afterAll, afterEach, beforeAll, describe, it } from 'vitest'
import { addressStatements } from './document-fetch/addresses.ts'
import { answerStatements } from './document-fetch/answers.ts'
import { Bench, type CreateDocumentFetch } from './document-fetch/bench.ts'
import { certificateStatements } from './document-fetch/certificate-checks.ts'
import { privacyStatements } from './document-fetch/privacy.ts'
import type { Statement } from './document-fetch/statement.ts'
import { timeStatements } from './document-fetch/time.ts'

export const DOCUMENT_FETCH_STATEMENTS: readonly Statement[] = [
  ...addressStatements,
  ...certificateStatements,
  ...answerStatements,
  ...privacyStatements,
  ...timeStatements,
]

/**
 * Tests that a `DocumentFetch` reaches no internal address, does not hang and leaks nothing, whatever names resolve to and hosts
 * answer. The suite replaces `node:dns` and the connections of `node:net` in its process by an internet of its own, so the
 * fetch runs as it does in production, and no packet leaves the machine. Call it at the top level of a test file.
 *
 * @param name the name of the fetch in reports
 */
export function describeDocumentFetch(name: string, create: CreateDocumentFetch): void {
  describe(`document fetch ${name}`, () => {
    let bench: Bench
    beforeAll(() => {
      bench = new Bench(create)
    })
    afterEach(() => bench.reset())
    afterAll(() => bench.close())
    it.each(DOCUMENT_FETCH_STATEMENTS)('$name', ({ prove }) => prove(bench))
  })
}
