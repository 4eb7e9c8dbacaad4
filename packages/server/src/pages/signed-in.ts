import type { Session } from '@grantkit/core'
import type { Context } from 'hono'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { SignInEvent } from '../events.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { SignInFacts } from '../sign-in/session.ts'
import type { LoginOptions } from './login-options.ts'
import type { SignInPage } from './sign-in-page.ts'

/** Completes a sign-in of any method: starts a session, and redirects to where the user came from. */
export interface SignedIn extends SignInFacts {
  readonly account: StoredAccount
  /** A path of this service. */
  readonly returnTo: string
}

export async function signedIn(
  { sessions, onEvent }: LoginOptions,
  page: Pick<SignInPage, 'usedCookie'>,
  c: Context,
  { account, returnTo, ...facts }: SignedIn,
): Promise<Response> {
  const { session, cookie } = await sessions.start(account, c.req.header('cookie'), facts)
  onEvent({ ...signInSucceeded(account, session), ...acrOfApplication(facts) })
  for (const line of [cookie, page.usedCookie]) c.header('set-cookie', line, { append: true })
  return seeOther(c, returnTo)
}

/** The other methods have the class of their name. */
function acrOfApplication({ signedInBy, acr }: SignInFacts): { readonly acr?: string } {
  return signedInBy === 'application' && acr ? { acr } : {}
}

export function signInSucceeded({ sessionEpoch: epoch }: StoredAccount, session: Session): SignInEvent {
  const { subject, id: sessionId, firstId, signedInBy } = session
  return { type: 'sign_in_succeeded', subject, sessionId, firstId, epoch, signedInBy }
}
