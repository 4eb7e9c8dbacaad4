import type { End, EndCause } from '../ends.ts'
import { kindOf } from '../family.ts'
import type { Operation } from '../operation.ts'
import type { Rule, Subject } from './rule.ts'

interface Cause {
  readonly words: string
  readonly rfc: string
  readonly fix: string
}

const BEFORE_THE_ANSWER =
  'Write the end before you answer, and issue tokens only if the stored grant is still the one that you read.'

const CAUSES: Readonly<Record<EndCause, Cause>> = {
  revoke: {
    words: 'the revocation of its grant was acknowledged',
    rfc: 'RFC 7009 section 2',
    fix: BEFORE_THE_ANSWER,
  },
  logout: {
    words: 'the logout was acknowledged',
    rfc: 'OpenID Connect Back-Channel Logout 1.0 section 2.7',
    fix: 'End the refresh tokens of a session at its logout, or declare that a logout leaves them.',
  },
  deny: {
    words: 'the user of its grant denied',
    rfc: 'RFC 6749 section 4.1.2.1, RFC 8628 section 3.5',
    fix: BEFORE_THE_ANSWER,
  },
  replay: {
    words: 'a spent credential of its grant was presented again',
    rfc: 'RFC 9700 section 4.14.2, RFC 6749 section 4.1.2',
    fix: 'Let the replay of a spent code or refresh token end its whole grant: refuse the live tokens too.',
  },
  gone: {
    words: 'the server had refused a live credential of its grant',
    rfc: 'RFC 9700 section 4.14.2',
    fix: 'Write the end of a grant once, to what survives a restart and what each replica reads.',
  },
}

/** Nothing is issued after the end, and what is gone stays gone. */
export const issuedAfterEnd: Rule = {
  verdict: 'unsafe',
  rfc: CAUSES.revoke.rfc,
  fix: BEFORE_THE_ANSWER,
  find: (subject) => {
    for (const operation of subject.family.operations) {
      const end = isIssue(operation) ? endBefore(subject, operation, subject.ends.sure) : undefined
      if (end === undefined) continue
      const { words, fix, rfc } = CAUSES[end.cause]
      const seen = `The ${subject.nameOf(operation.key ?? '')} gave tokens after ${words}.`
      return { operations: [end.operation, operation], seen, fix, rfc }
    }
    return undefined
  },
}

/** An access token ends with its grant: at once where the server is asked, after the cache time at a resource. */
export const activeAfterEnd: Rule = {
  verdict: 'unsafe',
  rfc: 'RFC 7009 section 2.1, RFC 7662 section 2.2',
  fix: 'Look the grant up when a token is introspected, on each replica, and keep answers no longer than declared.',
  find: (subject) => {
    const { family, ends, declared, nameOf } = subject
    for (const operation of family.operations) {
      if (!isAccepted(operation)) continue
      const { key = '', f } = operation
      const withGrant = declared.revocationEnds === 'family' || kindOf(family, key) === 'refresh'
      const end = endBefore(subject, operation, withGrant ? ends.sureForAccess : undefined)
      if (end === undefined) continue
      const word = f === 'exchange' ? 'was exchanged' : 'was active'
      const seen = `The ${nameOf(key)} ${word} after ${CAUSES[end.cause].words}.`
      return { operations: [end.operation, operation], seen }
    }
    return undefined
  },
}

/** What ended the grant, or the credential alone, before the request was sent. */
function endBefore(
  { declared, revocations }: Subject,
  operation: Operation,
  grantEnd: End | undefined,
): End | undefined {
  const cache = operation.f === 'use' ? (declared.cacheSeconds ?? 0) * 1_000 : 0
  const isBefore = (end: Operation) => end !== operation && operation.invoked > end.returned + cache
  if (grantEnd !== undefined && isBefore(grantEnd.operation)) return grantEnd
  const revocation = revocations.get(operation.key ?? '')
  return revocation && isBefore(revocation) ? { cause: 'revoke', operation: revocation } : undefined
}

function isIssue({ f, result, forbidden }: Operation): boolean {
  return (f === 'redeem' || f === 'poll' || f === 'refresh') && result === 'ok' && forbidden === undefined
}

function isAccepted({ f, result, active, forbidden }: Operation): boolean {
  if (forbidden !== undefined) return false
  return f === 'exchange' ? result === 'ok' : (f === 'use' || f === 'introspect') && active === true
}
