import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import type { AccountRows } from '../accounts/account-rows.ts'
import { withinTime } from './within-time.ts'

/** Whether the application still has a user, remembered for a while. @throws OAuthError `temporarily_unavailable` */
export type UserCheck = (sub: string) => Promise<boolean>

const MAX_KEPT = 10_000

interface Kept {
  readonly answer: Promise<boolean>
  readonly until: number
}

/**
 * Only an answer is remembered. If the application is down, the user is neither gone nor there: the request fails, and
 * the client tries again.
 *
 * @param seconds for which an answer is used again
 */
export function userCheck(check: (sub: string) => Promise<boolean>, seconds: number): UserCheck {
  const kept = new Map<string, Kept>()
  return (sub) => {
    const known = kept.get(sub)
    if (known !== undefined && Date.now() < known.until) return known.answer
    const answer = answerOf(() => check(sub)).catch((cause: unknown) => {
      kept.delete(sub)
      throw new OAuthError(ERRORS.claims_unavailable, undefined, { cause })
    })
    kept.delete(sub)
    kept.set(sub, { answer, until: Date.now() + seconds * 1000 })
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    return answer
  }
}

async function answerOf(check: () => Promise<boolean>): Promise<boolean> {
  const known = await withinTime('check', check)
  if (typeof known !== 'boolean') throw new Error(`check must return true or false, not ${typeof known}`)
  return known
}

/** The accounts, without those whom the application no longer has. They are not changed: the user may come back. */
export function checkedAccounts(accounts: AccountRows, isThere: UserCheck): AccountRows {
  return {
    ...accounts,
    async find(id) {
      const account = await accounts.find(id)
      return account && (await isThere(id)) ? account : undefined
    },
    async claims(id) {
      const claims = await accounts.claims(id)
      return claims && (await isThere(id)) ? claims : undefined
    },
  }
}
