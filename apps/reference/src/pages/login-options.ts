import type { Sessions } from '../session.ts'
import type { SignInOptions } from '../sign-in-attempt.ts'
import type { SignInEvent, SignIns } from '../sign-ins.ts'
import type { CallerOf } from '../trusted-proxies.ts'
import type { SignInPageOptions } from './sign-in-page.ts'

/** What all ways to sign in need. */
export interface LoginOptions extends SignInOptions, SignInPageOptions {
  readonly sessions: Sessions
  readonly signIns: SignIns
  readonly callerOf: CallerOf
  readonly onEvent: (event: SignInEvent) => void
}
