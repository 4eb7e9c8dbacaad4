import type { Interaction, ScopeDefinition, ServerSecret } from '@grantkit/core'
import type { LogoutInteraction } from '@grantkit/core/logout'
import type { PersonalTokens } from '@grantkit/core/personal-tokens'
import type { Accounts } from '../accounts/accounts.ts'
import type { SignInMethodChanged } from '../events.ts'
import type { Site } from '../http/page.ts'
import type { Sessions } from '../sign-in/session.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'

/** What signs users in, and the pages that they see on the way to a token. */
export interface Authentication {
  readonly site: Site
  readonly secret: ServerSecret
  readonly scopes: Readonly<Record<string, ScopeDefinition>>
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly ways: WaysToSignIn
  /** Present if users may create personal access tokens. */
  readonly personalTokens?: PersonalTokens | undefined
  readonly interaction: Interaction
  readonly logout: LogoutInteraction
  readonly onEvent: (event: SignInMethodChanged) => void
}
