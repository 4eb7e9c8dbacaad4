import type { CheckId } from '../../check-id.ts'
import { activeAfterEnd, issuedAfterEnd } from './after-the-end.ts'
import {
  expiredWorks,
  forbiddenWorks,
  liveTokenInactive,
  liveTokenRefused,
  retryRefused,
} from './refusals.ts'
import type { Rule } from './rule.ts'
import { clocksApart, noAnswer, serverFault } from './service.ts'
import { codeUsedTwice, issuedBeforeApproval, refreshForked, spentTokenWorks } from './single-use.ts'

export interface CheckRules {
  readonly title: string
  /** The rules that the check is made for, which come first in its finding. */
  readonly rules: readonly Rule[]
  /** It judges nothing else. The other checks judge each rule of a grant. */
  readonly only?: true
}

/** What each history of a grant must meet, whatever its check. */
const GRANT_RULES: readonly Rule[] = [
  forbiddenWorks,
  codeUsedTwice,
  refreshForked,
  spentTokenWorks,
  issuedBeforeApproval,
  issuedAfterEnd,
  activeAfterEnd,
  expiredWorks,
  liveTokenRefused,
  liveTokenInactive,
]

/** One row for each check. */
export const CHECKS: Readonly<Record<CheckId, CheckRules>> = {
  'code-twice': { title: 'A code gives tokens once', rules: [codeUsedTwice, forbiddenWorks] },
  'refresh-twice': { title: 'A refresh token has one successor', rules: [refreshForked, spentTokenWorks] },
  'replay-contained': {
    title: 'A spent refresh token ends its grant',
    rules: [issuedAfterEnd, refreshForked, spentTokenWorks],
  },
  'same-second': {
    title: 'Rotations in the same second are told apart',
    rules: [refreshForked, spentTokenWorks],
  },
  'lost-answer': {
    title: 'A lost answer to a refresh costs no grant',
    rules: [liveTokenRefused, retryRefused],
  },
  'lost-code-answer': { title: 'A code whose answer was lost gives no second grant', rules: [codeUsedTwice] },
  'refresh-vs-revoke': {
    title: 'A refresh on its way does not outlive a revocation',
    rules: [issuedAfterEnd, activeAfterEnd],
  },
  'redeem-vs-deny': {
    title: 'A code does not work after its user denied',
    rules: [issuedBeforeApproval, issuedAfterEnd, activeAfterEnd],
  },
  'after-revoke': { title: 'A revocation holds from its answer on', rules: [issuedAfterEnd, activeAfterEnd] },
  'after-logout': {
    title: 'A logout ends the refresh tokens of its session',
    rules: [issuedAfterEnd, activeAfterEnd],
  },
  'after-replay': { title: 'A replay leaves no live token behind', rules: [issuedAfterEnd, activeAfterEnd] },
  neighbours: {
    title: 'The end of a grant spares the others of its user',
    rules: [liveTokenRefused, liveTokenInactive],
  },
  'other-client': { title: 'A credential works for its own client only', rules: [forbiddenWorks] },
  'other-key': { title: 'A token works with the key of its client only', rules: [forbiddenWorks] },
  'never-more': { title: 'No request gets more than its user approved', rules: [forbiddenWorks] },
  'expired-code': { title: 'A code ends when its time is over', rules: [expiredWorks, forbiddenWorks] },
  'expired-token': {
    title: 'An access token ends when its time is over',
    rules: [expiredWorks, forbiddenWorks],
  },
  'device-twice': { title: 'A device code gives tokens once', rules: [codeUsedTwice, issuedBeforeApproval] },
  'exchange-outlives': { title: 'An exchanged token ends with its grant', rules: [activeAfterEnd] },
  crash: {
    title: 'What was acknowledged survives a crash',
    rules: [liveTokenRefused, refreshForked, issuedAfterEnd],
  },
  clock: { title: 'The clocks of the replicas agree', rules: [clocksApart] },
  replicas: {
    title: 'Each replica knows what another one did',
    rules: [activeAfterEnd, issuedAfterEnd, liveTokenRefused, liveTokenInactive],
  },
  quiet: {
    title: 'The server answers each request without a fault',
    rules: [serverFault, noAnswer],
    only: true,
  },
}

/** The rules that judge the families of a check. */
export function rulesOf(check: CheckId): readonly Rule[] {
  const { rules, only } = CHECKS[check]
  return only ? rules : [...new Set([...rules, ...GRANT_RULES])]
}
