import type { Sessions } from '../session.ts'
import type { SignInEvent, SignInOptions } from '../sign-in-attempt.ts'
import type { CallerOf } from '../trusted-proxies.ts'
import type { WayChanged } from '../ways-to-sign-in.ts'
import type { SignInPageOptions } from './sign-in-page.ts'

/** What all ways to sign in need. */
export interface LoginOptions extends SignInOptions, SignInPageOptions {
  readonly sessions: Sessions
  readonly callerOf: CallerOf
  readonly onEvent: (event: SignInEvent | WayChanged) => void
}
