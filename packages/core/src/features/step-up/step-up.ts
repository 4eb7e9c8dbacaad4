/** Step-up authentication (RFC 9470): clients ask for a stronger sign-in, and tokens tell how strong it was. */
import type { AuthenticationClasses } from '../../authorization/authentication-classes.ts'
import type { Session } from '../../authorization/interaction.ts'
import type { Feature, ServerContext } from '../../feature.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import { checkedClasses, isAtLeast } from '../../resource/guard.ts'

/** OpenID Connect Core Error Code unmet_authentication_requirements 1.0. */
export const STEP_UP_ERRORS = defineErrors({
  acr_values_unknown: [
    'unmet_authentication_requirements',
    'The server has none of the classes in acr_values. See acr_values_supported',
  ],
  acr_values_unmet: [
    'unmet_authentication_requirements',
    'The user did not sign in as strongly as acr_values asks. Begin again, or ask for a weaker class',
  ],
})

export interface StepUpOptions {
  /** The classes of sign-ins (`acr`), weakest first. A session is of one of them, or of none, which is below all. */
  readonly classes: readonly string[]
  /**
   * Whether a request with `acr_values` gets the error `unmet_authentication_requirements` if its user does not sign in strongly
   * enough. With `false` it gets a code all the same, and the token has the true `acr`. Default true (RFC 9470 5).
   */
  readonly required?: boolean | undefined
}

/**
 * Step-up authentication: `acr_values` of a request makes its user sign in again if their session is too weak, and `acr`, `amr`
 * and `auth_time` of the sign-in are in tokens and in introspection (RFC 9470 6). `interaction.session` returns `acr` and
 * `amr`; a guard demands them with `requiring`.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { stepUp } from '@grantkit/core/step-up'
 *
 * const features = [stepUp({ classes: ['password', 'passkey'] })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function stepUp({ classes, required = true }: StepUpOptions): Feature {
  const names = checkedClasses('stepUp: classes', classes)
  if (names.length === 0) throw new Error('stepUp: classes must name at least one class')
  return (server) => {
    checkScopes(server)
    return {
      authenticationClasses: authenticationClasses(names, required),
      metadata: { acr_values_supported: names },
      errors: STEP_UP_ERRORS,
    }
  }
}

/** No claim of the application takes the place of one of the protocol. */
function checkScopes({ scopes }: ServerContext): void {
  for (const [scope, { claims = [] }] of Object.entries(scopes)) {
    const taken = claims.find((name) => name === 'acr' || name === 'amr')
    if (taken !== undefined) throw new Error(`stepUp: scope "${scope}" cannot open ${taken}`)
  }
}

function authenticationClasses(names: readonly string[], required: boolean): AuthenticationClasses {
  const meets: AuthenticationClasses['meets'] = (session, requested) => {
    const acr = classOf(names, session)
    return requested === undefined || requested.some((least) => isAtLeast(names, acr, least))
  }
  return {
    names,
    required,
    requested(acrValues) {
      // A parameter of spaces asks for nothing.
      const requested = acrValues?.split(' ').filter((value) => value !== '') ?? []
      const known = [...new Set(requested)].filter((value) => names.includes(value))
      if (required && requested.length > 0 && known.length === 0)
        throw new OAuthError(STEP_UP_ERRORS.acr_values_unknown)
      return known.length === 0 ? undefined : known
    },
    meets,
    requireMet(session, requested) {
      if (required && !meets(session, requested)) throw new OAuthError(STEP_UP_ERRORS.acr_values_unmet)
    },
    factsOf: (session) => ({ acr: classOf(names, session), amr: methodsOf(session) }),
    shown: ({ acr, amr, authTime }) => ({ acr, amr, authTime }),
  }
}

/** A class that only the application knows would be stronger or weaker than it looks. */
function classOf(names: readonly string[], { acr }: Session): string | undefined {
  if (acr !== undefined && !names.includes(acr))
    throw new Error(`stepUp: a session has the acr "${acr}", which is none of the classes`)
  return acr
}

function methodsOf({ amr }: Session): readonly string[] | undefined {
  return amr === undefined || amr.length === 0 ? undefined : [...amr]
}
