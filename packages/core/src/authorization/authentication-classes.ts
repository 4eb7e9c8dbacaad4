/**
 * How users sign in: the classes of sign-ins (`acr` and `amr`, OpenID Connect Core 2), which clients ask for and tokens tell
 * (RFC 9470).
 */
import type { SignInClassifier, SignInFacts } from '../grants/introspection.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'
import { checkedClasses, isAtLeast } from '../resource/guard.ts'
import type { Session } from './interaction.ts'

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

interface StepUp {
  /** The classes of sign-ins (`acr`), weakest first. A session is of one of them, or of none, which is below all. */
  readonly classes: readonly string[]
  /**
   * Whether a request with `acr_values` gets the error `unmet_authentication_requirements` if its user does not sign in strongly
   * enough. With `false` it gets a code all the same, and the token has the true `acr`. Default true (RFC 9470 5).
   */
  readonly required?: boolean | undefined
}

export interface StepUpOptions {
  /**
   * Step-up authentication: `acr_values` of a request makes its user sign in again if their session is too weak, and `acr`, `amr`
   * and `auth_time` of the sign-in are in tokens and in introspection (RFC 9470 6). `interaction.session` returns `acr` and
   * `amr`; a guard demands them with `requiring`. Default: `acr_values` is ignored, and no token has these.
   */
  readonly stepUp?: StepUp | undefined
}

type Telling = SignInClassifier['authenticationClasses']

/** The classes of sign-ins on this server. */
export interface AuthenticationClasses extends Telling {
  /** Weakest first. */
  readonly names: readonly string[]
  /** Whether a request ends with an error if its user cannot sign in strongly enough. */
  readonly required: boolean
  /**
   * The classes that a request asks for and that exist here, in its order.
   *
   * @param acrValues separated by spaces
   * @returns `undefined` if the request asks for none
   * @throws OAuthError `unmet_authentication_requirements` if they are required and none exists
   */
  requested(acrValues: string | undefined): readonly string[] | undefined
  /** Whether the session is at or above one of the requested classes. @throws Error for a session of an unknown class */
  meets(session: Session, requested: readonly string[] | undefined): boolean
  /** For a user who has signed in for this request. @throws OAuthError `unmet_authentication_requirements`, if required */
  requireMet(session: Session, requested: readonly string[] | undefined): void
  /** What the grant keeps. @throws Error for a session of an unknown class */
  factsOf(session: Session): Pick<SignInFacts, 'acr' | 'amr'>
}

const NOTHING = {}

const UNCLASSIFIED: AuthenticationClasses = {
  names: [],
  required: false,
  requested: () => undefined,
  meets: () => true,
  requireMet: () => {},
  factsOf: () => NOTHING,
  shown: () => NOTHING,
}

/** @throws Error that names the option at fault */
export function authenticationClasses(
  { stepUp }: StepUpOptions,
  scopes: ScopeCatalogue,
): AuthenticationClasses {
  if (stepUp === undefined) return UNCLASSIFIED
  const names = checkedClasses('stepUp: classes', stepUp.classes)
  if (names.length === 0) throw new Error('stepUp: classes must name at least one class')
  checkScopes(scopes)
  return classesOf(names, stepUp.required ?? true)
}

/** No claim of the application takes the place of one of the protocol. */
function checkScopes(scopes: ScopeCatalogue): void {
  for (const [scope, { claims = [] }] of Object.entries(scopes)) {
    const taken = claims.find((name) => name === 'acr' || name === 'amr')
    if (taken !== undefined) throw new Error(`stepUp: scope "${scope}" cannot open ${taken}`)
  }
}

function classesOf(names: readonly string[], required: boolean): AuthenticationClasses {
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
