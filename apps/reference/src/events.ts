import type { ServerEvent } from '@grantkit/core'
import type { SignInEvent } from './sign-ins.ts'

/** All events of the service: those of core, and sign-ins, which core does not see. */
export type ServiceEvent = ServerEvent | SignInEvent

export type OnEvent = (event: ServiceEvent) => void
