import type { ServerEvent } from '@grantkit/core'
import type { ClientKeysFailed } from '@grantkit/core/client-assertion'
import type { ClientCredentialsTokenIssued } from '@grantkit/core/client-credentials'
import type { DocumentChanged, DocumentFailed } from '@grantkit/core/client-documents'
import type { DeviceEvent } from '@grantkit/core/device'
import type { TokenExchanged } from '@grantkit/core/token-exchange'
import type { AccountEvent } from './accounts/account-rows.ts'
import type { SignedOut } from './sign-in/session.ts'
import type { SignInEvent } from './sign-in/sign-in-attempt.ts'
import type { SignInMethodChanged } from './sign-in/ways-to-sign-in.ts'

/**
 * All events of the service: those of core and its features, and those of accounts and sessions, which core does not
 * know.
 */
export type ServiceEvent =
  | ServerEvent
  | DocumentChanged
  | DocumentFailed
  | ClientKeysFailed
  | ClientCredentialsTokenIssued
  | TokenExchanged
  | DeviceEvent
  | SignInEvent
  | SignedOut
  | AccountEvent
  | SignInMethodChanged

export type OnEvent = (event: ServiceEvent) => void
