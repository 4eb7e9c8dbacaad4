/** How users sign in, as a feature classifies it (`acr` and `amr`, OpenID Connect Core 2; RFC 9470). */
import type { SignInClassifier, SignInFacts } from '../grants/introspection.ts'
import type { Session } from './interaction.ts'

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

/** On a server without a feature that classifies sign-ins: `acr_values` is ignored, and nothing is shown. */
export const UNCLASSIFIED: AuthenticationClasses = {
  names: [],
  required: false,
  requested: () => undefined,
  meets: () => true,
  requireMet: () => {},
  factsOf: () => NOTHING,
  shown: () => NOTHING,
}
