/** Failures of sign-ins as lines of a log, for programs that show attempts nowhere. */
import { terminalText } from '@grantkit/core/feature'
import type { Emit } from '@grantkit/core/internal'
import { signInAttempts } from './observer.ts'
import { formatReference } from './reference.ts'
import type { StepEvent } from './sign-in-steps.ts'
import { verdictOf } from './verdict.ts'

/**
 * An observer as `signInAttempts`, which logs each step that was refused or that failed: one line with the reference that the
 * error shows, the cause, who can correct it, and how. Nothing is kept in memory.
 *
 * @param log is called while a request is answered, so it must not throw
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { logFailures } from '@grantkit/explain'
 *
 * const options = { issuer, store, scopes, secret, interaction }
 * export const authorization = createAuthorizationServer({ ...options, observer: logFailures(console.warn) })
 * ```
 */
export function logFailures(log: (line: string) => void): typeof signInAttempts {
  return (context, secret) => {
    const emit: Emit = (event, request) => {
      context.emit(event, request)
      const step = event as typeof event & StepEvent
      if (step.outcome !== 'ok') log(lineOf(step))
    }
    return signInAttempts({ ...context, emit }, secret)
  }
}

function lineOf(step: StepEvent): string {
  const { id, by, sentence, fix, compared } = verdictOf([step], step.at)
  const facts = compared.map(({ label, value }) => ` ${label}: ${value}.`).join('')
  const cause = `${formatReference(step.reference)} ${id} (${by}): ${sentence} ${fix}${facts}`
  return terminalText(step.clientId === undefined ? cause : `${cause} client_id: ${step.clientId}.`)
}
