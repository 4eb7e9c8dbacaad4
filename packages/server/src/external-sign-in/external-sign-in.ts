import { createHash, randomUUID } from 'node:crypto'
import type { PrivateJwk, ServerSecret, Store } from '@grantkit/core'
import * as z from 'zod'
import { CALLBACK_PATH, type ExternalUsers } from '../config/external-sign-in.ts'
import { storeErrorsAs503 } from '../database/errors-as-503.ts'
import { cookieOf, isTooLongForCookie } from '../http/cookies.ts'
import { CLOCK_TOLERANCE, hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import { ExternalSignInError } from './sign-in-error.ts'
import { type SignInRequest, signInAddress } from './sign-in-request.ts'
import { responseVerifier, type SignedInUser } from './sign-in-response.ts'

/**
 * Sign-in by the application: the browser takes a signed request there and brings a signed response back. A response
 * counts once, and only in the browser that began the sign-in.
 */
export interface ExternalSignIn {
  /** The URL of the application, which the pages show. */
  readonly url: string
  /** The redirect to the application, and the cookie of the sign-in. @throws ExternalSignInError `too_long` */
  begin(begin: BeginSignIn): Promise<{ readonly location: string; readonly cookie: string }>
  /**
   * The user of the application's response to this browser.
   *
   * @param cookies the Cookie header of the request
   * @throws ExternalSignInError
   */
  finish(
    cookies: string | undefined,
    response: string | undefined,
  ): Promise<{ readonly user: SignedInUser; readonly returnTo: string }>
  /** Where the user came from, from the cookie; also after an error. */
  returnToOf(cookies: string | undefined): string | undefined
  /** Deletes the cookie after the sign-in. */
  readonly usedCookie: string
}

type Hint = 'login_hint' | 'ui_locales' | 'client_name' | 'acr_values'

/** A sign-in that begins, with the wishes of the client for which the user signs in. */
export interface BeginSignIn extends Pick<SignInRequest, Hint> {
  /** A path of this server. */
  readonly returnTo: string
  /** The sign-in must be new. */
  readonly prompt?: SignInRequest['prompt']
  /** The maximum age of the sign-in, in seconds. */
  readonly max_age?: SignInRequest['max_age']
}

export interface ExternalSignInParts {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly store: Store
  /** The signing keys of this server. */
  readonly keys: () => readonly PrivateJwk[]
  /** The only values of `acr`. Default: the application may use others, and they do not count. */
  readonly classes?: readonly string[] | undefined
}

const Begun = z.object({
  jti: z.string(),
  returnTo: z.string(),
  fresh: z.string().transform((mark) => mark !== ''),
  maxAge: z.string().transform((text) => (text === '' ? undefined : Number(text))),
  iat: z.number(),
})
type Begun = z.output<typeof Begun>

const LIFETIME = 10 * 60
const MAX_TEXT = 254

export function externalSignInOf(users: ExternalUsers, parts: ExternalSignInParts): ExternalSignIn {
  const { secret, baseUrl, store, keys, classes } = parts
  const key = hmacKeys(secret, 'external sign-in')
  const cookie = cookieOf('external', baseUrl)
  const signer = { issuer: baseUrl, users, keys }
  const verify = responseVerifier(baseUrl, users, classes)
  const used = usedOnce(store)
  const begunIn = (cookies: string | undefined) => verifyValue(key, cookie.read(cookies), Begun, LIFETIME)

  return {
    url: users.url,
    usedCookie: cookie.set('', 0),
    returnToOf: (cookies) => begunIn(cookies)?.returnTo,
    async begin({ returnTo, prompt, max_age, ...hints }) {
      const jti = randomUUID()
      const begun = {
        jti,
        returnTo,
        fresh: prompt === undefined ? '' : 'fresh',
        maxAge: max_age === undefined ? '' : String(max_age),
      }
      const value = signValue(key, begun, LIFETIME)
      if (isTooLongForCookie(value)) throw new ExternalSignInError('too_long')
      const request = { jti, return_to: `${baseUrl}${CALLBACK_PATH}`, prompt, max_age, ...shortened(hints) }
      const location = await signInAddress(signer, request, epochSeconds(), LIFETIME)
      return { location, cookie: cookie.set(value, LIFETIME) }
    },
    async finish(cookies, response = '') {
      const now = epochSeconds()
      const answer = await verify(response, now)
      // First of all, so that a response that came to a wrong browser is of no use in any other.
      if (!(await used.add(answer.jti, now))) throw new ExternalSignInError('expired', 'It was used before')
      const begun = begunIn(cookies)
      if (begun?.jti !== answer.jti) throw new ExternalSignInError('expired', 'Not begun in this browser')
      if ('error' in answer) throw new ExternalSignInError('denied', answer.error)
      if (!isFresh(begun, answer.authTime, now)) throw new ExternalSignInError('not_fresh')
      return { user: answer, returnTo: begun.returnTo }
    },
  }
}

/** Whether the sign-in is as new as the client requires (OpenID Connect Core 3.1.2.1). */
function isFresh({ fresh, maxAge, iat }: Begun, authTime: number, now: number): boolean {
  if (authTime >= iat - CLOCK_TOLERANCE) return true
  return !fresh && (maxAge === undefined || now - authTime <= maxAge)
}

/** Any page can link to the sign-in page with hints of any length, and the request is part of a URL. */
function shortened(hints: Omit<BeginSignIn, 'returnTo' | 'prompt' | 'max_age'>) {
  return Object.fromEntries(
    Object.entries(hints).map(([name, text]) => [name, text?.slice(0, MAX_TEXT) || undefined]),
  )
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** Written only for a response that the application signed, so that unauthenticated callers write nothing. */
function usedOnce({ transients }: Store) {
  if (transients === undefined) throw new Error('The store must keep transients')
  return storeErrorsAs503({
    add(jti: string, now: number) {
      const id = `external sign-in ${createHash('sha256').update(jti).digest('base64url')}`
      const expiresAt = now + LIFETIME + 2 * CLOCK_TOLERANCE
      return transients.insert(id, { kind: 'external_sign_in', expiresAt }, expiresAt)
    },
  })
}
