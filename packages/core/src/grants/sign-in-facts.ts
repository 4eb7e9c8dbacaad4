import type { Grant } from '../kernel/records.ts'

/** How the user of a grant signed in (OpenID Connect Core 2). */
export type SignInFacts = Pick<Grant, 'acr' | 'amr' | 'authTime'>

/** A server that may classify sign-ins. Whether it does is known once all features are created. */
export interface SignInClassifier {
  readonly authenticationClasses: {
    /** What tokens and introspection show of a grant; nothing on a server without classes. */
    shown(grant: Grant): SignInFacts
  }
}
