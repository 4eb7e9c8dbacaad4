import { randomUUID } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import * as z from 'zod'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { addPasskey, type Passkey, type PasskeyRows } from '../accounts/passkeys/passkey-rows.ts'
import type { Rows } from '../database/database.ts'
import { cookieOf, hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'

/** A browser that may add a passkey to an account, and nothing else: it has no session. */
interface Enrolment {
  readonly account: StoredAccount
  /** The id of the link by which it began. Empty: a sign-in, which is good for the first passkey alone. */
  readonly link: string
}

interface Options {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly accounts: Pick<AccountRows, 'find' | 'endSessionsOf'>
  readonly passkeys: Pick<PasskeyRows, 'list' | 'add' | 'isAddable'>
}

const SECONDS = 5 * 60
const LINK_SECONDS = 24 * 60 * 60
const Claims = z.object({ sub: z.string(), epoch: z.string(), link: z.string() })

export type Enrolments = ReturnType<typeof enrolmentsOf>

/**
 * Enrolments end when all sessions of the account end, and five minutes after they began. One by a sign-in ends when the account
 * has a passkey, and one by a link with its use.
 */
export function enrolmentsOf({ secret, baseUrl, accounts, passkeys }: Options) {
  const cookie = cookieOf('enrolment', baseUrl)
  const [keys, linkKeys] = [hmacKeys(secret, 'enrolment'), hmacKeys(secret, 'enrolment link')]
  const claimsOf = ({ id: sub, sessionEpoch }: StoredAccount, link: string) => ({
    ...{ sub, epoch: String(sessionEpoch), link },
  })

  async function found(claims: z.output<typeof Claims> | undefined): Promise<Enrolment | undefined> {
    const account = claims && (await accounts.find(claims.sub))
    if (account === undefined || String(account.sessionEpoch) !== claims?.epoch) return undefined
    const { link } = claims
    return link === '' && (await passkeys.list(account.id)).length > 0 ? undefined : { account, link }
  }

  return {
    /** The Set-Cookie line. @param link default: by a sign-in */
    begin: (account: StoredAccount, link = '') =>
      cookie.set(signValue(keys, claimsOf(account, link), SECONDS), SECONDS),
    /** @param cookies the Cookie header of a request. @throws OAuthError `temporarily_unavailable`, as below */
    find: (cookies: string | undefined) => found(verifyValue(keys, cookie.read(cookies), Claims, SECONDS)),
    /** `false`: the account has a first passkey by now, the link was used, or the credential exists already. */
    async finish({ account, link }: Enrolment, passkey: Passkey): Promise<boolean> {
      if (link === '') return passkeys.add(passkey, account, 1)
      // Otherwise apps would be told of an end that does not come.
      if (!(await passkeys.isAddable(passkey))) return false
      // Whoever has found the lost device may be signed in there. The end of the sessions is that of the link too.
      const add = (rows: Rows) => addPasskey(rows, passkey, account)
      return (await accounts.endSessionsOf(account, add)) !== undefined
    },
    /** The Set-Cookie line that forgets it. */
    usedCookie: cookie.set('', 0),
    /** A link for a user who has lost the passkey. Whoever has it can add a passkey, once within 24 hours. */
    linkFor(account: StoredAccount): string {
      const token = signValue(linkKeys, claimsOf(account, randomUUID()), LINK_SECONDS)
      return `${baseUrl}/login/enrol?${new URLSearchParams({ token })}`
    },
    /** The enrolment of a link. Changes nothing: programs open links too. */
    ofLink: (token: string | undefined) => found(verifyValue(linkKeys, token, Claims, LINK_SECONDS)),
  }
}
