import { createSecretKey, randomUUID } from 'node:crypto'
import type { PrivateJwk, ServerSecret, Store } from '@grantkit/core'
import { signerAt } from '@grantkit/core/internal'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  importJWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from 'jose'
import * as z from 'zod'
import { Methods } from '../../config/authentication-classes.ts'
import { CALLBACK_PATH, type ExternalUsers } from '../../config/users.ts'
import { type Flow, flowsInCookies } from '../../http/flows.ts'
import { fieldsOf, type SignInWishes, wishesIn } from '../../http/sign-in-wishes.ts'
import { CLOCK_TOLERANCE } from '../../http/signed-value.ts'
import { usedOnce } from '../used-once.ts'
import { UserId, userClaims } from '../user-claims.ts'
import { ExternalSignInError } from './sign-in-error.ts'

/**
 * Sign-in by the application: the browser takes a signed request there and brings a signed response back. A response
 * counts once, and only in the browser that began the sign-in.
 */
export interface ExternalSignIn {
  /** The URL of the application, which the pages show. */
  readonly url: string
  /**
   * The redirect to the application, and the Set-Cookie lines that remember the sign-in.
   *
   * @param cookies the Cookie header of the request
   * @throws ExternalSignInError `too_long`
   */
  begin(
    cookies: string | undefined,
    begin: BeginSignIn,
  ): Promise<{ readonly location: string; readonly cookies: string[] }>
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
  /** Where the user came from; also after an error. */
  returnToOf(cookies: string | undefined, response: string | undefined): string | undefined
  /** The Set-Cookie line that forgets the sign-in. */
  usedCookie(response: string | undefined): string
}

/** A sign-in that begins. */
export interface BeginSignIn {
  /** A path of this server. */
  readonly returnTo: string
  /** Of the client for which the user signs in. */
  readonly wishes: SignInWishes
  readonly loginHint?: string | undefined
  readonly clientName?: string | undefined
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

const Begun = z.object({ returnTo: z.string(), prompt: z.string(), max_age: z.string(), iat: z.number() })
type Begun = Flow<z.output<typeof Begun>>

const LIFETIME = 10 * 60
const MAX_TEXT = 254

export function externalSignInOf(users: ExternalUsers, parts: ExternalSignInParts): ExternalSignIn {
  const { secret, baseUrl, store, classes } = parts
  const cookies = { name: 'external', purpose: 'external sign-in', value: Begun, seconds: LIFETIME }
  const flows = flowsInCookies({ secret, baseUrl }, cookies)
  const verify = responseVerifier(baseUrl, users, classes)
  const used = usedOnce(store, 'external_sign_in')

  return {
    url: users.url,
    usedCookie: (response) => flows.end(claimedJti(response)),
    returnToOf: (cookies, response) =>
      (flows.find(cookies, claimedJti(response)) ?? flows.latest(cookies))?.returnTo,
    async begin(cookies, { returnTo, wishes, loginHint, clientName }) {
      const jti = randomUUID()
      const { prompt, max_age } = fieldsOf(wishes)
      const lines = flows.begin(cookies, jti, { returnTo, prompt, max_age })
      if (lines === undefined) throw new ExternalSignInError('too_long')
      const location = await signInAddress(users, parts, {
        jti,
        return_to: `${baseUrl}${CALLBACK_PATH}`,
        prompt: wishes.prompt,
        max_age: wishes.maxAge,
        acr_values: wishes.acrValues,
        ui_locales: wishes.uiLocales,
        login_hint: shortened(loginHint),
        client_name: shortened(clientName),
      })
      return { location, cookies: lines }
    },
    async finish(cookies, response = '') {
      const now = epochSeconds()
      const answer = await verify(response, now)
      // First of all, so that a response that came to a wrong browser is of no use in any other.
      const end = now + LIFETIME + CLOCK_TOLERANCE
      if (!(await used.add(answer.jti, end))) throw new ExternalSignInError('expired', 'It was used before')
      const begun = flows.find(cookies, answer.jti)
      if (begun === undefined) throw new ExternalSignInError('expired', 'Not begun in this browser')
      if ('error' in answer) throw new ExternalSignInError('denied', answer.error)
      if (!isFresh(begun, answer.authTime, now)) throw new ExternalSignInError('not_fresh')
      return { user: answer, returnTo: begun.returnTo }
    },
  }
}

/** Of a response that is not verified: it says only which of the sign-ins of this browser may have ended. */
function claimedJti(response = ''): string {
  try {
    const { jti } = decodeJwt<{ jti: unknown }>(response)
    return typeof jti === 'string' ? jti : ''
  } catch {
    return ''
  }
}

/** Whether the sign-in is as new as the client requires (OpenID Connect Core 3.1.2.1). */
function isFresh(begun: Begun, authTime: number, now: number): boolean {
  if (authTime >= begun.iat - CLOCK_TOLERANCE) return true
  const { prompt, maxAge } = wishesIn(begun)
  return prompt === undefined && (maxAge === undefined || now - authTime <= maxAge)
}

/** Any page can link to the sign-in page with hints of any length, and the request is part of a URL. Wishes are cut already. */
function shortened(hint: string | undefined): string | undefined {
  return hint?.slice(0, MAX_TEXT) || undefined
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** What the application has to know to sign a user in. */
interface SignInRequest {
  /** The response repeats it. */
  readonly jti: string
  /** The address of this server to which the application sends the browser back. */
  readonly return_to: string
  /** Of the client's request: the user that it expects (OpenID Connect Core 3.1.2.1). */
  readonly login_hint?: string | undefined
  /** `login`, `select_account` or both: the user must sign in again, whatever session the application has. */
  readonly prompt?: string | undefined
  /** Seconds: the user must have signed in since. */
  readonly max_age?: number | undefined
  /** The authentication classes that the client demands, separated by spaces, as the response may name one in `acr`. */
  readonly acr_values?: string | undefined
  /** The languages that the client requests. */
  readonly ui_locales?: string | undefined
  /** The name of the client for which the user signs in. It may have chosen that name itself. */
  readonly client_name?: string | undefined
}

/** No token of this server has this type, so none of them passes for another (RFC 8725 3.11). */
const TYPE = 'sign-in-request+jwt'
/** The first one for which the server has a key. */
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const

/** The address at the application, with the request as a signed JWT. */
async function signInAddress(
  users: ExternalUsers,
  { baseUrl, keys }: ExternalSignInParts,
  request: SignInRequest,
): Promise<string> {
  const now = epochSeconds()
  const { alg, kid, key } = users.key === undefined ? await ownKey(keys(), now) : sharedKey(users.key)
  const jwt = await new SignJWT({ ...request })
    .setProtectedHeader({ alg, typ: TYPE, ...(kid === undefined ? {} : { kid }) })
    .setIssuer(baseUrl)
    .setAudience(users.url)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME)
    .sign(key)
  return `${users.url}?${new URLSearchParams({ request: jwt })}`
}

interface Signer {
  readonly alg: string
  readonly kid?: string
  readonly key: Parameters<SignJWT['sign']>[0]
}

function sharedKey(key: string): Signer {
  return { alg: 'HS256', key: createSecretKey(Buffer.from(key)) }
}

async function ownKey(keys: readonly PrivateJwk[], now: number): Promise<Signer> {
  const jwk = ALGORITHMS.map((alg) => signerAt(keys, alg, now)).find((key) => key !== undefined)
  if (jwk === undefined) throw new Error('The server has no signing key for requests to the application')
  return { alg: jwk.alg, kid: jwk.kid, key: await importJWK(jwk, jwk.alg) }
}

/** Seconds for which a response may be valid. */
const MAX_LIFETIME = 60
const MAX_LENGTH = 8192

/** The user whom the application signed in. */
interface SignedInUser {
  /** The request to which it responds. */
  readonly jti: string
  /** The id of the user at the application. */
  readonly sub: string
  /** When the user last signed in at the application, in epoch seconds. */
  readonly authTime: number
  /** How the user signed in (OpenID Connect Core 2). */
  readonly acr: string | undefined
  /** The authentication methods (RFC 8176). Absent without the authentication classes of this server. */
  readonly amr?: readonly string[] | undefined
  readonly claims: Readonly<Record<string, unknown>>
}

/** A response that says why there is no user. */
interface SignInDenied {
  readonly jti: string
  readonly error: string
}

/** The algorithms follow from the configuration alone, never from the response (RFC 8725 3.1). */
const SHARED = ['HS256']
const PUBLIC = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519']

const Envelope = z.object({
  jti: z.string('jti is missing: repeat the jti of the request').min(1).max(200),
  // The response is for this server alone, so a list is wrong.
  aud: z.string('aud must be one text: the iss of the request'),
  exp: z.number('exp must be a number of seconds'),
})
const Denied = Envelope.extend({ error: z.string().max(100) })
const SignedIn = Envelope.extend({
  sub: UserId,
  auth_time: z
    .number('auth_time must be the time of the sign-in, in epoch seconds')
    .int('auth_time must be in whole seconds')
    .nonnegative(),
  acr: z.string().max(255).optional(),
})

/**
 * @param classes the only values of `acr`; without them `acr` may have any value, and `amr` is ignored
 * @returns reads a response, and throws an ExternalSignInError `invalid`, `expired` or `unreachable`
 */
function responseVerifier(issuer: string, users: ExternalUsers, classes?: readonly string[]) {
  const verify = signatureVerifier(users)
  const expected = { issuer: users.url, audience: issuer, clockTolerance: CLOCK_TOLERANCE }
  const authentication = classes && authenticationIn(classes)
  return async (response: string, now: number): Promise<SignedInUser | SignInDenied> => {
    if (response.length > MAX_LENGTH)
      throw new ExternalSignInError('invalid', `It is longer than ${MAX_LENGTH} characters`)
    const options = { ...expected, currentDate: new Date(now * 1000) }
    const payload = await verify(response, options).catch((cause: unknown) => {
      throw failureOf(cause)
    })
    const answer = readResponse(payload, now)
    if (authentication === undefined || 'error' in answer) return answer
    return { ...answer, ...parsed(authentication, payload) }
  }
}

/** A class that is misspelled would be none, and the app would send its user here again and again. */
function authenticationIn(classes: readonly string[]) {
  return z.object({
    acr: z.enum(classes, `acr must be one of ${classes.join(', ')}`).optional(),
    amr: Methods.optional(),
  })
}

function signatureVerifier({ key, keys }: ExternalUsers) {
  if (key !== undefined) {
    const secret = createSecretKey(Buffer.from(key))
    return async (jwt: string, options: JWTVerifyOptions) =>
      (await jwtVerify(jwt, secret, { ...options, algorithms: SHARED })).payload
  }
  const keySet: JWTVerifyGetKey =
    typeof keys === 'string' ? createRemoteJWKSet(new URL(keys)) : createLocalJWKSet(keys ?? { keys: [] })
  return async (jwt: string, options: JWTVerifyOptions) =>
    (await jwtVerify(jwt, keySet, { ...options, algorithms: PUBLIC })).payload
}

function readResponse(payload: JWTPayload, now: number): SignedInUser | SignInDenied {
  const { jti, exp } = parsed(Envelope, payload)
  if (exp > now + MAX_LIFETIME + CLOCK_TOLERANCE)
    throw new ExternalSignInError('invalid', `exp is more than ${MAX_LIFETIME} seconds ahead`)
  if (payload.error !== undefined) return { jti, error: parsed(Denied, payload).error }
  const { sub, auth_time, acr } = parsed(SignedIn, payload)
  if (auth_time > now + CLOCK_TOLERANCE)
    throw new ExternalSignInError('invalid', 'auth_time is in the future')
  return { jti, sub, authTime: Math.min(auth_time, now), acr, claims: userClaims(payload) }
}

function parsed<Schema extends z.ZodType>(schema: Schema, payload: JWTPayload): z.output<Schema> {
  const { data, error } = schema.safeParse(payload)
  if (error === undefined) return data
  throw new ExternalSignInError('invalid', error.issues.map(({ message }) => message).join('; '))
}

/** Only the fetch of keys fails in another way than by an error of jose. */
function failureOf(cause: unknown): ExternalSignInError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof errors.JWTExpired) return new ExternalSignInError('expired', detail, { cause })
  const isFetch = cause instanceof errors.JOSEError ? UNREACHABLE.includes(cause.code) : true
  return new ExternalSignInError(isFetch ? 'unreachable' : 'invalid', detail, { cause })
}

/** `ERR_JOSE_GENERIC`: the host of the keys responded with another status than 200, or with no JSON. */
const UNREACHABLE = ['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']
