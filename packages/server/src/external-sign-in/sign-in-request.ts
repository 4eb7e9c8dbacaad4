import { createSecretKey } from 'node:crypto'
import type { PrivateJwk } from '@grantkit/core'
import { signerAt } from '@grantkit/core/internal'
import { importJWK, SignJWT } from 'jose'
import type { ExternalUsers } from '../config/external-sign-in.ts'

/** What the application has to know to sign a user in. */
export interface SignInRequest {
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

export interface RequestSigner {
  /** The name of this server. */
  readonly issuer: string
  readonly users: Pick<ExternalUsers, 'url' | 'key'>
  /** The signing keys of this server. */
  readonly keys: () => readonly PrivateJwk[]
}

/** No token of this server has this type, so none of them passes for another (RFC 8725 3.11). */
const TYPE = 'sign-in-request+jwt'
/** The first one for which the server has a key. */
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const

/** The address at the application, with the request as a signed JWT. @param now in epoch seconds */
export async function signInAddress(
  { issuer, users, keys }: RequestSigner,
  request: SignInRequest,
  now: number,
  lifetime: number,
): Promise<string> {
  const { alg, kid, key } = users.key === undefined ? await ownKey(keys(), now) : sharedKey(users.key)
  const jwt = await new SignJWT({ ...request })
    .setProtectedHeader({ alg, typ: TYPE, ...(kid === undefined ? {} : { kid }) })
    .setIssuer(issuer)
    .setAudience(users.url)
    .setIssuedAt(now)
    .setExpirationTime(now + lifetime)
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
