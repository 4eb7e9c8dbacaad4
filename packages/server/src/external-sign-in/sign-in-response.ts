import { createSecretKey } from 'node:crypto'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import * as z from 'zod'
import { UserId, userClaims } from '../accounts/user-claims.ts'
import { Methods } from '../config/authentication-classes.ts'
import type { ExternalUsers } from '../config/external-sign-in.ts'
import { CLOCK_TOLERANCE } from '../http/signed-value.ts'
import { ExternalSignInError } from './sign-in-error.ts'

/** Seconds for which a response may be valid. */
const MAX_LIFETIME = 60
const MAX_LENGTH = 8192

/** The user whom the application signed in. */
export interface SignedInUser {
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

/** Reads a response. @throws ExternalSignInError `invalid`, `expired` or `unreachable` */
export type VerifyResponse = (response: string, now: number) => Promise<SignedInUser | SignInDenied>

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

/** @param classes the only values of `acr`; without them `acr` may have any value, and `amr` is ignored */
export function responseVerifier(
  issuer: string,
  users: ExternalUsers,
  classes?: readonly string[],
): VerifyResponse {
  const verify = signatureVerifier(users)
  const expected = { issuer: users.url, audience: issuer, clockTolerance: CLOCK_TOLERANCE }
  const authentication = classes && authenticationIn(classes)
  return async (response, now) => {
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
