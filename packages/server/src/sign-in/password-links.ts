import { createHmac, type KeyObject } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import * as z from 'zod'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'

/**
 * Tokens of links with which users set a new password. Nothing is stored: a token names its account, and is valid for
 * the password, the sessions and the address that the account had. So it is void once any of them has changed, and of
 * two uses at the same time one changes the account.
 */
export interface PasswordLinks {
  tokenFor(account: StoredAccount): string
  /** The account of a valid token, as it is now. Changes nothing: mail scanners open links too. */
  accountOf(token: string | undefined): Promise<StoredAccount | undefined>
}

export const LINK_LIFETIME_SECONDS = 30 * 60
const LinkClaims = z.object({ sub: z.string(), state: z.string() })

export function passwordLinks(secret: ServerSecret, accounts: Pick<Accounts, 'find'>): PasswordLinks {
  const keys = hmacKeys(secret, 'password link')
  return {
    tokenFor: (account) =>
      signValue(keys, { sub: account.id, state: stateOf(keys[0], account) }, LINK_LIFETIME_SECONDS),
    async accountOf(token) {
      const claims = verifyValue(keys, token, LinkClaims, LINK_LIFETIME_SECONDS)
      const account = claims && (await accounts.find(claims.sub))
      if (account === undefined || !mayResetByMail(account)) return undefined
      return keys.some((key) => stateOf(key, account) === claims?.state) ? account : undefined
    },
  }
}

/**
 * Whether the owner of the mailbox may set a new password: the address is known to belong to the user, and there is a
 * password to forget. Without one, the user signs in with a passkey or at a provider, which a mail must not bypass.
 */
export function mayResetByMail({ email, email_verified, password }: StoredAccount): boolean {
  return email !== undefined && email_verified && password !== ''
}

/** Reveals nothing about the password. */
function stateOf(key: KeyObject, { password, sessionEpoch, email }: StoredAccount): string {
  const state = JSON.stringify([password, sessionEpoch, email])
  return createHmac('sha256', key).update(state).digest('base64url')
}
