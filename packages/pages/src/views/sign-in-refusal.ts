import { fillText, type Language, listed } from '../language.ts'
import type { PageContext } from '../layout.ts'

const TEXTS = {
  provider_denied: 'denied',
  unreachable: 'notNow',
  client_rejected: 'notNow',
  response_invalid: 'invalid',
  state_expired: 'expired',
  not_fresh: 'notFresh',
  too_long: 'tooLong',
  sign_up_off: 'signUpOff',
  email_missing: 'emailMissing',
  email_unverified: 'emailUnverified',
  domain_not_allowed: 'domainNotAllowed',
  tenant_not_allowed: 'tenantNotAllowed',
  group_missing: 'groupMissing',
  groups_overage: 'groupsOverage',
  email_in_use: 'emailInUse',
  identity_in_use: 'identityInUse',
  admin_refused: 'adminRefused',
  account_disabled: 'accountDisabled',
} as const satisfies Readonly<Record<string, keyof Language['signInRefused']>>

/** Why a sign-in with an OpenID provider was refused. */
export interface SignInRefusal {
  /** One of the languages; the first by default. */
  readonly locale?: string | undefined
  readonly reason: keyof typeof TEXTS
  /** The name of the provider for users. */
  readonly provider: string
  /** For `domain_not_allowed`: the domain of the user, and those that may sign in. */
  readonly domain?: string | undefined
  readonly domains?: readonly string[] | undefined
}

/** What happened, and whether the user can do something. In a language of its own: the page may have another. */
export interface RefusalText {
  readonly text: string
  /** BCP 47. */
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
}

export function signInRefusal({ language }: PageContext, refusal: SignInRefusal): RefusalText {
  const { tag, dir = 'ltr', signInRefused } = language
  const { reason, provider, domain = '', domains = [] } = refusal
  const values = { provider, domain, domains: listed(language, domains) }
  const text = fillText(signInRefused[TEXTS[reason]], values)
  return { text, lang: tag, dir }
}
