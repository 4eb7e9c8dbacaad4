import { createHash } from 'node:crypto'
import type { ServerSecret, Store } from '@grantkit/core'
import { displayText } from '@grantkit/core/internal'
import { type CustomFetch, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import * as z from 'zod'
import type { Provider } from '../../config/people.ts'
import { storeErrorsAs503 } from '../../database/errors-as-503.ts'
import { type Flow, flowsInCookies } from '../../http/flows.ts'
import { CLOCK_TOLERANCE } from '../../http/signed-value.ts'
import { authenticationIn, type Identity, UpstreamError } from './identities.ts'
import type { ProviderClaims } from './provider-claims.ts'
import { providerClient } from './provider-client.ts'

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
   * @param query of the callback URL, unchanged, or the form that the provider posted to it
   * @throws UpstreamError
   */
  finish(
    cookies: string | undefined,
    query: string,
  ): Promise<{ readonly identity: Identity; readonly purpose: Purpose }>
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
  /** The user must sign in at the provider again, even with a session there, and the provider must confirm that. */
  readonly fresh: boolean
  /** The same, except that the provider need not know when the user signed in. Default: false. */
  readonly again?: boolean
  /** The session that is linking the identity to its account; empty for a sign-in. */
  readonly linkFor: string
  /** The authentication classes that the app demands, separated by spaces; empty if none. */
  readonly acrValues: string
}

export interface UpstreamOptions {
  readonly secret: ServerSecret
  readonly baseUrl: string
  readonly store: Store
  /** For tests: how providers are reached. Default: `fetch` of the platform. */
  readonly fetch?: CustomFetch | undefined
}

const Begun = z.object({
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  fresh: z.string().transform((mark) => mark !== ''),
  again: z.string().transform((mark) => mark !== ''),
  linkFor: z.string(),
  acrValues: z.string(),
  iat: z.number(),
  exp: z.number(),
})
type Begun = Flow<z.output<typeof Begun>>

const MINUTE = 60
const HOUR = 60 * MINUTE
const LIFETIME = 10 * MINUTE
/** The maximum age of a session at the provider, and the assumed age without `auth_time`. */
const MAX_AGE = 12 * HOUR

export function upstreamSignIn(provider: Provider, options: UpstreamOptions): UpstreamSignIn {
  const redirectUri = `${options.baseUrl}/login/with/${provider.id}/callback`
  const purpose = `upstream ${provider.id}`
  const flows = flowsInCookies(options, { name: 'upstream', purpose, value: Begun, seconds: LIFETIME })
  const client = providerClient(provider, { redirectUri, fetch: options.fetch })
  const used = usedOnce(options.store)

  return {
    provider,
    async begin(cookies, { returnTo, fresh, again = false, linkFor, acrValues }) {
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
      const location = await client.authorizationUrl(
        { state, nonce, verifier },
        {
          max_age: String(MAX_AGE),
          ...(fresh || again ? { prompt: 'login' } : {}),
          ...(provider.trustAcr && acrValues !== '' ? { acr_values: acrValues } : {}),
        },
      )
      const marks = { fresh: fresh ? 'fresh' : '', again: again ? 'again' : '' }
      const lines = flows.begin(cookies, state, { nonce, verifier, returnTo, ...marks, linkFor, acrValues })
      if (lines === undefined) throw new UpstreamError('too_long')
      return { location, cookies: lines }
    },
    purposeOf: (cookies, query) => flows.find(cookies, stateOf(query)),
    usedCookie: (query) => flows.end(stateOf(query)),
    async finish(cookies, query) {
      const begun = flows.find(cookies, stateOf(query))
      if (begun === undefined) throw new UpstreamError('expired')
      const { id: state, nonce, verifier } = begun
      const identity = identityOf(await client.claims(query, { state, nonce, verifier }), begun, provider)
      const mustBeFresh = begun.fresh || (begun.again && identity.saysAuthTime)
      if (mustBeFresh && identity.authTime < begun.iat - CLOCK_TOLERANCE) throw new UpstreamError('not_fresh')
      if (!(await used.add(begun.id, begun.exp))) throw new UpstreamError('expired')
      return { identity, purpose: begun }
    },
  }
}

function stateOf(query: string): string {
  return new URLSearchParams(query).get('state') ?? ''
}

function identityOf(
  { issuer, subject, idToken, userInfo = {} }: ProviderClaims,
  { iat }: Begun,
  { trustAcr }: Provider,
): Identity {
  const profile = typeof idToken.email === 'string' ? idToken : userInfo
  const name = idToken.name ?? userInfo.name
  const authTime = typeof idToken.auth_time === 'number' ? idToken.auth_time : undefined
  return {
    issuer,
    subject,
    email: profile.email_verified === true ? Email.safeParse(profile.email).data : undefined,
    name: typeof name === 'string' ? displayText(name.slice(0, 200)) || undefined : undefined,
    authTime: authTime ?? iat - MAX_AGE,
    saysAuthTime: authTime !== undefined,
    ...(trustAcr ? authenticationIn(idToken) : {}),
  }
}

const Email = z.email().max(254).toLowerCase()

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
