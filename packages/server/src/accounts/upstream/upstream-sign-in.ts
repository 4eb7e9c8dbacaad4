import { createHash } from 'node:crypto'
import type { ServerSecret, Store } from '@grantkit/core'
import { isLoopbackUrl } from '@grantkit/core/feature'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client'
import * as z from 'zod'
import type { Provider } from '../../config/people.ts'
import { storeErrorsAs503 } from '../../database/errors-as-503.ts'
import { type Flow, flowsInCookies } from '../../http/flows.ts'
import { demandsLogin, fieldsOf, type SignInWishes, wishesIn } from '../../http/sign-in-wishes.ts'
import { CLOCK_TOLERANCE } from '../../http/signed-value.ts'
import { authenticationIn, type Identity, UpstreamError, upstreamErrorOf } from './identities.ts'
import { profileOf } from './memberships.ts'

/** The authorization code flow with one provider, as its client (OpenID Connect Core 3.1). */
export interface UpstreamSignIn {
  readonly provider: Provider
  /**
   * @param cookies the Cookie header of the request
   * @throws UpstreamError `unreachable`, `too_long`
   */
  begin(cookies: string | undefined, purpose: Purpose): Promise<ToProvider>
  /**
   * The identity from the provider's callback to this browser.
   *
   * @param cookies the Cookie header of the request
   * @param query of the callback URL, unchanged
   * @throws UpstreamError
   */
  finish(cookies: string | undefined, query: string): Promise<Returned>
  /** The purpose of the sign-in that a callback answers, if this browser began it; also after an error. */
  purposeOf(cookies: string | undefined, query: string): Purpose | undefined
  /** The Set-Cookie line that forgets it. */
  usedCookie(query: string): string
}

/** The way to a provider. */
export interface ToProvider {
  readonly location: string
  /** The Set-Cookie lines that remember the purpose. */
  readonly cookies: string[]
}

export interface Purpose {
  /** A path of this service. */
  readonly returnTo: string
  readonly wishes: SignInWishes
  /** The session that is linking the identity to its account; empty for a sign-in. */
  readonly linkFor: string
}

/** A user whom the provider has sent back. */
interface Returned {
  readonly identity: Identity
  readonly purpose: Purpose
  /** When the user last proved to be there, in epoch seconds: the earliest possible time if the provider does not say it. */
  readonly confirmedAt: number
  /** The provider was asked for a new sign-in, and does not say that there was one. */
  readonly isUnproven: boolean
}

export interface UpstreamOptions {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly store: Store
}

const Begun = z
  .object({
    nonce: z.string(),
    verifier: z.string(),
    returnTo: z.string(),
    linkFor: z.string(),
    prompt: z.string(),
    max_age: z.string(),
    acr_values: z.string(),
    ui_locales: z.string(),
    iat: z.number(),
    exp: z.number(),
  })
  .transform((begun) => ({ ...begun, wishes: wishesIn(begun) }))
type Begun = Flow<z.output<typeof Begun>>

const MINUTE = 60
const HOUR = 60 * MINUTE
const LIFETIME = 10 * MINUTE
/** The maximum age of a session at the provider where nothing else is wished, and the assumed age without `auth_time`. */
const MAX_AGE = 12 * HOUR
/** The timeout of one request to a provider, in seconds. */
const TIMEOUT = 5

export function upstreamSignIn(provider: Provider, options: UpstreamOptions): UpstreamSignIn {
  const redirectUri = `${options.baseUrl}/login/with/${provider.id}/callback`
  const purpose = `upstream ${provider.id}`
  const flows = flowsInCookies(options, { name: 'upstream', purpose, value: Begun, seconds: LIFETIME })
  const configuration = discovered(provider)
  const used = usedOnce(options.store)

  return {
    provider,
    async begin(cookies, { returnTo, wishes, linkFor }) {
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
      const client = await configuration()
      const location = buildAuthorizationUrl(client, {
        redirect_uri: redirectUri,
        scope: provider.scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...asked(provider, client.serverMetadata(), wishes),
      }).href
      const flow = { nonce, verifier, returnTo, linkFor, ...fieldsOf(wishes) }
      const lines = flows.begin(cookies, state, flow)
      if (lines === undefined) throw new UpstreamError('too_long')
      return { location, cookies: lines }
    },
    purposeOf: (cookies, query) => flows.find(cookies, stateOf(query)),
    usedCookie: (query) => flows.end(stateOf(query)),
    async finish(cookies, query) {
      const begun = flows.find(cookies, stateOf(query))
      if (begun === undefined) throw new UpstreamError('state_expired')
      const answer = new URL(`${redirectUri}${query}`)
      const identity = await identityOf(await configuration(), answer, begun, provider)
      const proof = proofOf(provider, identity, begun)
      if (!(await used.add(begun.id, begun.exp))) throw new UpstreamError('state_expired')
      return { identity, purpose: begun, ...proof }
    },
  }
}

/** What the provider is asked for, as far as it knows the words. */
function asked(
  { prompts, authTimeByClaims, trustAcr }: Provider,
  { claims_parameter_supported }: ServerMetadata,
  wishes: SignInWishes,
) {
  const { maxAge = MAX_AGE, acrValues } = wishes
  const wished = [...(demandsLogin(wishes) ? ['login'] : []), ...(wishes.prompt?.split(' ') ?? [])]
  const known = prompts.filter((prompt) => wished.includes(prompt))
  // A choice of the account is at least a page that the user sees.
  const instead = prompts.filter((prompt) => prompt === 'select_account' && wished.includes('login'))
  const prompt = (known.length > 0 ? known : instead).join(' ')
  return {
    max_age: String(maxAge),
    ...(prompt !== '' && { prompt }),
    ...((authTimeByClaims ?? claims_parameter_supported === true) && { claims: AUTH_TIME }),
    ...(trustAcr && acrValues !== undefined && { acr_values: acrValues }),
  }
}

/** OpenID Connect Core 5.5.1. */
const AUTH_TIME = JSON.stringify({ id_token: { auth_time: { essential: true } } })

/**
 * Whether the user has just signed in there. `auth_time` decides alone. Without it a return that was begun after the demand meets
 * `max_age`, and a new sign-in is proven only by a provider that the operator trusts to ask its user (`freshness`).
 *
 * @throws UpstreamError `not_fresh`
 */
function proofOf(
  { freshness }: Provider,
  { authTime }: Identity,
  { iat, wishes }: Begun,
): Pick<Returned, 'confirmedAt' | 'isUnproven'> {
  const now = Math.floor(Date.now() / 1000)
  const mustProve = demandsLogin(wishes)
  if (authTime === undefined) {
    const isProven = mustProve && freshness === 'returned'
    return { confirmedAt: isProven ? now : iat - MAX_AGE, isUnproven: mustProve && !isProven }
  }
  const { maxAge = Number.POSITIVE_INFINITY } = wishes
  const oldest = mustProve ? iat : Math.min(iat, now - maxAge)
  if (authTime < oldest - CLOCK_TOLERANCE) throw new UpstreamError('not_fresh')
  return { confirmedAt: authTime, isUnproven: false }
}

function stateOf(query: string): string {
  return new URLSearchParams(query).get('state') ?? ''
}

/** Discovered at the first sign-in, and again after a failure, so that a provider outage does not stop the service. */
function discovered({ issuer, clientId, clientSecret }: Provider): () => Promise<Configuration> {
  let known: Promise<Configuration> | undefined
  const execute = isLoopbackUrl(issuer) ? [allowInsecureRequests] : []
  return () => {
    known ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      execute,
      timeout: TIMEOUT,
    }).catch((cause: unknown) => {
      known = undefined
      throw new UpstreamError('unreachable', { cause })
    })
    return known
  }
}

/** The tokens are discarded: the service does not call the provider's API. */
async function identityOf(
  configuration: Configuration,
  answer: URL,
  begun: Begun,
  provider: Provider,
): Promise<Identity> {
  try {
    const tokens = await authorizationCodeGrant(configuration, answer, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.id,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined)
      throw new UpstreamError('response_invalid', { cause: new Error('There is no ID token') })
    return {
      issuer: claims.iss,
      subject: claims.sub,
      ...(await profileOf(provider, claims, () => userInfo(configuration, tokens.access_token, claims.sub))),
      authTime: AuthTime.parse(claims.auth_time),
      ...(provider.trustAcr ? authenticationIn(claims) : {}),
    }
  } catch (cause) {
    throw upstreamErrorOf(cause)
  }
}

/** @throws for a time of another type, or one that is to come */
const AuthTime = z
  .number()
  .refine((time) => time <= Date.now() / 1000 + CLOCK_TOLERANCE, 'auth_time is in the future')
  .optional()

/** Some providers return claims only there. */
async function userInfo(
  configuration: Configuration,
  accessToken: string,
  subject: string,
): Promise<{ readonly [claim: string]: unknown }> {
  const { userinfo_endpoint } = configuration.serverMetadata()
  return userinfo_endpoint === undefined ? {} : fetchUserInfo(configuration, accessToken, subject)
}

/** Written only after the provider has responded, so that unauthenticated callers write nothing. */
function usedOnce({ transients }: Store) {
  if (transients === undefined) throw new Error('The store must keep transients')
  return storeErrorsAs503({
    add(state: string, end: number) {
      const id = `upstream sign-in ${createHash('sha256').update(state).digest('base64url')}`
      const expiresAt = end + CLOCK_TOLERANCE
      return transients.insert(id, { kind: 'upstream_sign_in', expiresAt }, expiresAt)
    },
  })
}
