import { expiryOf, refusesCredential, spendersBefore } from '../effect.ts'
import { isEarlyEnd, isUnexplained } from '../ends.ts'
import type { Operation } from '../operation.ts'
import type { Rule, Subject } from './rule.ts'

const ANSWER_RETRIES =
  'Answer a retry within a few seconds by the same pair, so that a lost answer costs no grant.'

/** An honest client loses its grant: its live credential is refused, and nothing that was sent explains it. */
export const liveTokenRefused: Rule = {
  verdict: 'lossy',
  rfc: 'RFC 6749 section 6, section 4.1.2',
  fix: 'Refuse a credential only if it was spent, revoked or expired. Replicas and restarts must know each one that was issued.',
  find: (subject) => {
    const { family, ends, declared, nameOf } = subject
    const refused = family.operations.find(
      (operation) => ends.possibleFrom >= operation.returned && isUnexplained(subject, operation),
    )
    if (refused === undefined) return undefined
    const [spender] = spendersBefore(subject, refused)
    const name = nameOf(refused.key ?? '')
    if (spender === undefined)
      return { operations: [refused], seen: `The ${name} was refused though nothing had spent or ended it.` }
    const seen = `The ${name} was refused within the ${declared.overlapSeconds} s in which a retry has to be answered.`
    return { operations: [spender, refused], seen, fix: ANSWER_RETRIES, rfc: 'RFC 9700 section 4.14.2' }
  },
}

/** An access token stops before its time. Servers that drop it at a refresh are allowed to. */
export const liveTokenInactive: Rule = {
  verdict: 'lossy',
  rfc: 'RFC 6749 section 5.1, RFC 7662 section 2.2',
  fix: 'Keep an access token active until it expires or its grant ends, on each replica and after a restart.',
  find: (subject) => {
    const { family, nameOf } = subject
    const refused = family.operations.find((operation) => isUnexplainedEnd(subject, operation))
    if (refused === undefined) return undefined
    return {
      operations: [refused],
      seen: `The ${nameOf(refused.key ?? '')} was inactive though nothing had ended it.`,
    }
  },
}

function isUnexplainedEnd(subject: Subject, operation: Operation): boolean {
  if (subject.ends.possibleFrom < operation.returned || !isEarlyEnd(subject, operation)) return false
  return !refreshExplains(subject, operation)
}

/** Whether a refresh can have happened after the access token was issued. */
function refreshExplains({ family, refreshes }: Subject, { key = '', returned }: Operation): boolean {
  const issue = family.issues.get(key)?.operation
  const isLater = (refresh: Operation) =>
    refresh.result === 'info' || refresh.returned > (issue?.invoked ?? 0)
  // Most often it is the last one, so the search begins there.
  return (
    undefined !==
    refreshes.findLast((refresh) => refresh.invoked < returned && refresh !== issue && isLater(refresh))
  )
}

/** An app that got no answer tries again (RFC 9700 lets it) and is refused: its user has to sign in once more. */
export const retryRefused: Rule = {
  verdict: 'declared',
  rfc: 'RFC 9700 section 4.14.2',
  fix: ANSWER_RETRIES,
  find: ({ family, declared, nameOf }) => {
    if (declared.rotation !== 'strict') return undefined
    for (const [key, presented] of family.spends) {
      const lost = presented.find(
        ({ f, forgotten, result }) => f === 'refresh' && (forgotten || result === 'info'),
      )
      if (lost === undefined) continue
      const retry = presented.find(
        (operation) =>
          operation.process === lost.process &&
          operation.invoked >= lost.returned &&
          refusesCredential(operation),
      )
      if (retry === undefined) continue
      const seen = `The answer to a refresh with the ${nameOf(key)} was lost, and the retry was refused: the app lost its grant.`
      return { operations: [lost, retry], seen }
    }
    return undefined
  },
}

export const expiredWorks: Rule = {
  verdict: 'unsafe',
  rfc: 'RFC 6749 section 4.1.2, section 5.1',
  fix: 'Compare the expiry with the clock in the same step that uses the credential.',
  find: (subject) => {
    const late = subject.family.operations.find((operation) => isExpiredUse(subject, operation))
    if (late === undefined) return undefined
    return { operations: [late], seen: `The ${subject.nameOf(late.key ?? '')} worked after it had expired.` }
  },
}

function isExpiredUse(subject: Subject, operation: Operation): boolean {
  const { f, result, active, key = '', invoked, forbidden } = operation
  const works = f === 'redeem' || f === 'exchange' ? result === 'ok' : active === true
  const expiry = works && forbidden === undefined ? expiryOf(subject, key) : undefined
  return expiry !== undefined && invoked > expiry.latest
}

export const forbiddenWorks: Rule = {
  verdict: 'unsafe',
  rfc: 'RFC 6749 section 10.5, RFC 7636 section 4.6',
  fix: 'Make each check of the request before you answer, also for the request that loses a race.',
  find: ({ family, nameOf }) => {
    const accepted = family.operations.find(
      ({ forbidden, result, active }) => forbidden !== undefined && (active ?? result === 'ok'),
    )
    if (accepted === undefined) return undefined
    const subject = accepted.key === undefined ? 'The grant' : `The ${nameOf(accepted.key)}`
    return {
      operations: [accepted],
      seen: `${subject} worked for ${accepted.forbidden}, which must be refused.`,
    }
  },
}
