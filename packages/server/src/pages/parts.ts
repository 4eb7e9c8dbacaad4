import type { AuthorizationServer, PublicClient, ScopeCatalogue, ServerSecret } from '@grantkit/core'
import type { PersonalTokens } from '@grantkit/core/personal-tokens'
import type { NewTokenForm } from '@grantkit/pages'
import type { InstallationNames } from '@grantkit/pages/connected-apps'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { ExternalSignIn } from '../accounts/external-sign-in/external-sign-in.ts'
import type { PasswordRules } from '../accounts/passwords.ts'
import type { ImportedUsers } from '../accounts/users/users.ts'
import type { AttemptReader } from '../attempts/attempt-reader.ts'
import type { ReportFailedSignIn } from '../attempts/recording.ts'
import type { SignInHistory } from '../audit/reading.ts'
import type { RolesEvent, SignInEvent, SignInMethodChanged } from '../events.ts'
import type { Site } from '../http/page.ts'
import type { CallerOf } from '../http/trusted-proxies.ts'
import type { Enrolments } from '../sign-in/enrolments.ts'
import type { PasswordResets } from '../sign-in/password-resets.ts'
import type { RequiredPasskeys } from '../sign-in/required-passkeys.ts'
import type { Sessions } from '../sign-in/session.ts'
import type { SignInOptions } from '../sign-in/sign-in-attempt.ts'
import type { WaitingIdentities } from '../sign-in/waiting-identities.ts'
import type { AdminSignIns, WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'

/** What the pages of a service are made of. The service makes it once. */
export interface PageParts extends SignInOptions {
  readonly site: Site
  readonly baseUrl: string
  readonly secret: ServerSecret
  readonly scopes: ScopeCatalogue
  readonly accounts: AccountRows
  readonly directory: AccountDirectory
  readonly passwordRules: PasswordRules
  readonly sessions: Sessions
  readonly ways: WaysToSignIn
  readonly adminSignIns: AdminSignIns
  readonly requiredPasskeys: RequiredPasskeys
  readonly enrolments: Enrolments
  readonly waiting: WaitingIdentities
  /** Absent if no mail can be sent. */
  readonly resets?: PasswordResets | undefined
  /** Present if an application signs the users in. */
  readonly external?: ExternalParts | undefined
  readonly requestingApp: RequestingApp
  readonly findClient: AuthorizationServer['clients']['find']
  readonly installationNames: InstallationNames
  readonly signIns: SignInHistory
  readonly attempts: AttemptReader
  /** Present if users may create personal access tokens. */
  readonly personalTokens?: PersonalTokens | undefined
  readonly tokenChoices: TokenChoices
  /** Whether clients without a browser may ask users. */
  readonly answersRequests: boolean
  readonly callerOf: CallerOf
  readonly reportFailed: ReportFailedSignIn
  readonly onEvent: (event: RolesEvent | SignInEvent | SignInMethodChanged) => void
  /** Gets the errors of pages. */
  readonly onError: (error: unknown) => void
}

/** What external sign-in needs next to the other pages. */
export interface ExternalParts {
  readonly signIn: ExternalSignIn
  readonly imported: ImportedUsers
}

/**
 * The app that requests a sign-in, taken from the authorization request to which the user returns. Of an app that a
 * document describes only the host is known: the document is not fetched before the user has signed in.
 */
export type RequestingApp = (
  returnTo: string,
) => Promise<PublicClient | { readonly documentHost: string } | undefined>

/** What users may choose for a personal access token. */
export interface TokenChoices {
  readonly resources: NewTokenForm['resources']
  /** By default, and the maximum. */
  readonly days: number
  readonly maxDays: number
}
