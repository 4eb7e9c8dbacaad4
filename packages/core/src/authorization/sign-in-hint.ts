/** What the sign-in page hears of a request. */
import type { Parameters } from '../http/message.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { AuthorizationParameters } from './authorization-request.ts'
import type { Prompt } from './sign-in.ts'

/** An invalid one is an error after the sign-in, by a redirect to the client. */
export function maxAgeOf({ max_age }: Parameters): number | undefined {
  const { data } = AuthorizationParameters.shape.max_age.safeParse(max_age)
  return data === undefined ? undefined : Number(data)
}

/** As for `max_age`: the error comes after the sign-in. */
export function acrValuesOf(
  { authenticationClasses }: AuthorizationContext,
  { acr_values }: Parameters,
): readonly string[] | undefined {
  try {
    return typeof acr_values === 'string' ? authenticationClasses.requested(acr_values) : undefined
  } catch {
    return undefined
  }
}

/** The prompts that concern the sign-in. */
export function promptOfSignIn(prompts: readonly Prompt[]): string | undefined {
  const ofSignIn: readonly Prompt[] = ['login', 'select_account']
  return ofSignIn.filter((prompt) => prompts.includes(prompt)).join(' ') || undefined
}
