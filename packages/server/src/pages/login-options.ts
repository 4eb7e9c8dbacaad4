import type { ReportFailedSignIn } from '../attempts/failed-sign-in.ts'
import type { SignInEvent, SignInMethodChanged } from '../events.ts'
import type { CallerOf } from '../http/trusted-proxies.ts'
import type { Sessions } from '../sign-in/session.ts'
import type { SignInOptions } from '../sign-in/sign-in-attempt.ts'
import type { SignInPageOptions } from './sign-in-page.ts'

/** Shared by all sign-in methods. */
export interface LoginOptions extends SignInOptions, SignInPageOptions {
  readonly sessions: Sessions
  readonly callerOf: CallerOf
  readonly reportFailed: ReportFailedSignIn
  readonly onEvent: (event: SignInEvent | SignInMethodChanged) => void
}
