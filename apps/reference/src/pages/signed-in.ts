import type { Context } from 'hono'
import type { Account } from '../accounts/accounts.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { LoginOptions } from './login-options.ts'
import type { SignInPage } from './sign-in-page.ts'

/** Ends a sign-in, whichever way it took: a new session, and back to where the user came from. */
export interface SignedIn {
  readonly account: Account
  /** A path of this service. */
  readonly returnTo: string
  /** When the user signed in, in epoch seconds, if that was not now. */
  readonly authTime?: number
}

export function signedIn(
  { sessions, onEvent }: LoginOptions,
  page: SignInPage,
  c: Context,
  { account, returnTo, authTime }: SignedIn,
): Response {
  const { session, cookie } = sessions.start(account, authTime)
  onEvent({ type: 'sign_in_succeeded', subject: account.id, sessionId: session.id })
  for (const line of [cookie, page.usedCookie]) c.header('set-cookie', line, { append: true })
  return seeOther(c, returnTo)
}
