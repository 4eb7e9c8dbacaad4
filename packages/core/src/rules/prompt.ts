import type { Session } from '../interaction.ts'

/** OpenID Connect Core 3.1.2.1. */
const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const
export type Prompt = (typeof PROMPTS)[number]

/** The values of `prompt`, or `undefined` when one is unknown or `none` has company. */
export function parsePrompt(prompt: string | undefined): readonly Prompt[] | undefined {
  const values = (prompt ?? '').split(' ').filter((value) => value !== '')
  const known = PROMPTS.filter((value) => values.includes(value))
  if (known.length !== new Set(values).size) return undefined
  return known.includes('none') && known.length > 1 ? undefined : known
}

export interface SignInDemand {
  readonly prompts: readonly Prompt[]
  /** Seconds a sign-in may lie back. */
  readonly maxAge?: number | undefined
  /** The user signed in because this very request asked for it. */
  readonly satisfied: boolean
}

/** Whether the user has to sign in (again) before this request may go on. */
export function signInNeeded(session: Session | undefined, demand: SignInDemand, now: number): boolean {
  if (session === undefined) return true
  if (demand.satisfied) return false
  const asked = demand.prompts.includes('login') || demand.prompts.includes('select_account')
  const { maxAge } = demand
  return asked || maxAge === 0 || (maxAge !== undefined && now - session.authTime > maxAge)
}
