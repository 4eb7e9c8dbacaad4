import type { Context } from 'hono'
import type { StoredAccount } from '../accounts/accounts.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { SignInTimes } from '../sign-in/session.ts'
import type { LoginOptions } from './login-options.ts'
import type { SignInPage } from './sign-in-page.ts'

/** Completes a sign-in of any method: starts a session, and redirects to where the user came from. */
export interface SignedIn extends SignInTimes {
  readonly account: StoredAccount
  /** A path of this service. */
  readonly returnTo: string
}

export async function signedIn(
  { sessions, onEvent }: LoginOptions,
  page: SignInPage,
  c: Context,
  { account, returnTo, ...times }: SignedIn,
): Promise<Response> {
  const { session, cookie } = await sessions.start(account, c.req.header('cookie'), times)
  onEvent({ type: 'sign_in_succeeded', subject: account.id, sessionId: session.id })
  for (const line of [cookie, page.usedCookie]) c.header('set-cookie', line, { append: true })
  return seeOther(c, returnTo)
}
