import * as z from 'zod'

/**
 * The authentication classes, the weakest first (`acr`, OpenID Connect Core 2). `pwd`: a password, or a provider or an
 * application that names no class. `phr`: phishing-resistant (OpenID Connect EAP ACR Values 1.0, 4). Operators cannot
 * rename them: guards, clients and providers compare these texts.
 */
export const AUTHENTICATION_CLASSES = ['pwd', 'phr'] as const

export type AuthenticationClass = (typeof AUTHENTICATION_CLASSES)[number]

/** How strong a sign-in was, and by which methods (RFC 8176). */
export interface AuthenticationFacts {
  readonly acr: AuthenticationClass
  readonly amr?: readonly string[] | undefined
}

export const BY_PASSWORD: AuthenticationFacts = { acr: 'pwd', amr: ['pwd'] }

/**
 * The key is proven (`pop`) while the user is present (`user`). The ceremony requires user verification, by a PIN or a
 * finger or a face, and does not learn by which, so that only `mfa` says it.
 */
export const BY_PASSKEY: AuthenticationFacts = { acr: 'phr', amr: ['pop', 'user', 'mfa'] }

/** The class of this name, or else the weakest: there was a sign-in, and nothing more is known. */
export function classOf(acr: string | undefined): AuthenticationClass {
  return AUTHENTICATION_CLASSES.find((known) => known === acr) ?? AUTHENTICATION_CLASSES[0]
}

/** Whether a sign-in of the weakest class meets a request. @param acrValues what it demands; empty: nothing */
export function isMetByAny(acrValues: readonly string[]): boolean {
  const known = acrValues.filter((value) => AUTHENTICATION_CLASSES.some((name) => name === value))
  return known.length === 0 || known.includes(AUTHENTICATION_CLASSES[0])
}

/** Names of methods, as another service gives them: each without a space, so that the cookie has them as one text. */
export const Methods = z.array(z.string().regex(/^[!-~]{1,50}$/)).max(10)
