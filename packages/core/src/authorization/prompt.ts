import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Session } from './interaction.ts'

export const PROMPT_ERRORS = defineErrors({
  prompt_invalid: ['invalid_request', 'prompt has an unknown value, or none together with another'],
  sign_in_needed: ['login_required', 'The user has to sign in, and prompt=none forbids asking'],
  sign_in_as_other_user: ['login_required', 'Another user signed in than the one of id_token_hint'],
  consent_needed: ['consent_required', 'The user has to give consent, and prompt=none forbids asking'],
})

/** OpenID Connect Core 3.1.2.1. */
const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const
export type Prompt = (typeof PROMPTS)[number]

/** The values of `prompt`. @throws OAuthError `invalid_request` when one is unknown or `none` has company */
export function requestedPrompts(prompt: string | undefined): readonly Prompt[] {
  if (prompt === undefined) return []
  const values = prompt.split(' ').filter((value) => value !== '')
  const known = PROMPTS.filter((value) => values.includes(value))
  const unknown = known.length !== new Set(values).size
  if (unknown || (known.includes('none') && known.length > 1))
    throw new OAuthError(PROMPT_ERRORS.prompt_invalid)
  return known
}

export interface SignInDemand {
  readonly prompts: readonly Prompt[]
  /** The maximum age of a sign-in, in seconds. */
  readonly maxAge?: number | undefined
  /** The user has already signed in for this request. */
  readonly satisfied: boolean
}

/** Whether the user has to sign in (again) before the request continues. */
export function signInNeeded(session: Session | undefined, demand: SignInDemand, now: number): boolean {
  if (session === undefined) return true
  if (demand.satisfied) return false
  const asked = demand.prompts.includes('login') || demand.prompts.includes('select_account')
  const { maxAge } = demand
  return asked || maxAge === 0 || (maxAge !== undefined && now - session.authTime > maxAge)
}
