import { addressStatements } from './addresses.ts'
import { answerStatements } from './answers.ts'
import { certificateStatements } from './certificate-checks.ts'
import { privacyStatements } from './privacy.ts'
import type { Statement } from './statement.ts'
import { timeStatements } from './time.ts'

/** A `DocumentFetch` reaches no internal address, does not hang and leaks nothing, whatever names resolve to and hosts answer. */
export const STATEMENTS: readonly Statement[] = [
  ...addressStatements,
  ...certificateStatements,
  ...answerStatements,
  ...privacyStatements,
  ...timeStatements,
]
