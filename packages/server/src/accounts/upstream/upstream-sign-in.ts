import { randomBytes } from 'node:crypto'
import type { ServerSecret, Store } from '@grantkit/core'
import type { CustomFetch, ServerMetadata } from 'openid-client'
import * as z from 'zod'
import type { Provider } from '../../config/providers.ts'
import { type Flow, flowsInCookies } from '../../http/flows.ts'
import { demandsLogin, fieldsOf, type SignInWishes, wishesIn } from '../../http/sign-in-wishes.ts'
import { CLOCK_TOLERANCE } from '../../http/signed-value.ts'
import { usedOnce } from '../used-once.ts'
import type { ProviderClaims } from './address.ts'
import { authenticationIn, type Identity, UpstreamError } from './identities.ts'
import { profileIn } from './memberships.ts'
import type { ProviderClient } from './provider-client.ts'

/** The authorization code flow with one provider, as its client (OpenID Connect Core 3.1). */
export interface UpstreamSignIn {
  readonly provider: Provider
  /** Nobody stays signed in there. */
  readonly keepsNoSession?: true | undefined
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
  finish(cookies: string | undefined, query: string): Promise<Returned>
  /** The purpose of the sign-in that a callback answers, if this browser began it; also after an error. */
  purposeOf(cookies: string | undefined, query: string): Purpose | undefined
  /** The Set-Cookie line that forgets it. */
  usedCookie(query: string): string
  /**
   * Where the provider signs its user out: with the setting `signOut`, and if it has such an address. Whether it is up is not known.
   *
   * @param returnTo a path of this service, for the sign-in page to which the provider leads back
   */
  signOutUrl(returnTo: string): Promise<string | undefined>
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
  /** `connectionIdOf` the session that is linking the identity to its account; empty for a sign-in. */
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
  /** How providers are reached, where it is not the network. Default: `fetch` of the platform. */
  readonly fetch?: CustomFetch | undefined
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

export function upstreamSignIn(provider: Provider, options: UpstreamOptions): UpstreamSignIn {
  const redirectUri = `${options.baseUrl}/login/with/${provider.id}/callback`
  const purpose = `upstream ${provider.id}`
  const flows = flowsInCookies(options, { name: 'upstream', purpose, value: Begun, seconds: LIFETIME })
  const used = usedOnce(options.store, 'upstream_sign_in')
  let opened: Promise<ProviderClient> | undefined
  /** The client library is loaded with the first sign-in: a start does not wait for it. */
  const openClient = () => {
    const { fetch } = options
    opened ??= import('./provider-client.ts').then(({ providerClient }) =>
      providerClient(provider, { redirectUri, fetch }),
    )
    return opened
  }

  return {
    provider,
    async begin(cookies, { returnTo, wishes, linkFor }) {
      const client = await openClient()
      const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
      const more = asked(provider, await client.metadata(), wishes)
      const location = await client.authorizationUrl({ state, nonce, verifier }, more)
      const flow = { nonce, verifier, returnTo, linkFor, ...fieldsOf(wishes) }
      const lines = flows.begin(cookies, state, flow)
      if (lines === undefined) throw new UpstreamError('too_long')
      return { location, cookies: lines }
    },
    purposeOf: (cookies, query) => flows.find(cookies, stateOf(query)),
    usedCookie: (query) => flows.end(stateOf(query)),
    async signOutUrl(returnTo) {
      if (provider.signOut === undefined) return undefined
      const back = { post_logout_redirect_uri: `${options.baseUrl}/login`, ...stateBack(returnTo) }
      return (await openClient()).endSessionUrl(back)
    },
    async finish(cookies, query) {
      const begun = flows.find(cookies, stateOf(query))
      if (begun === undefined) throw new UpstreamError('state_expired')
      const { id: state, nonce, verifier } = begun
      const client = await openClient()
      const identity = identityOf(await client.claims(query, { state, nonce, verifier }), provider)
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

/** Characters of a `state` for which any provider has room in an address. */
const MAX_STATE = 1000

/**
 * What the provider brings back after a sign-out: nothing where an app has said something of its user, as an address or an ID token. A
 * request without that part would be another one.
 */
function stateBack(returnTo: string): { readonly state?: string } {
  const names = [...new URL(returnTo, 'https://any.example').searchParams.keys()]
  // A request object has the client beside it (RFC 9101 5); the page of requests has an id.
  const isObject = names.includes('request') && names.includes('client_id')
  const isOfUser = isObject || names.some((name) => name.endsWith('_hint'))
  return isOfUser || returnTo.length > MAX_STATE ? {} : { state: returnTo }
}

/** 256 bits: also a code verifier (RFC 7636 4.1). */
const newSecret = () => randomBytes(32).toString('base64url')

function stateOf(query: string): string {
  return new URLSearchParams(query).get('state') ?? ''
}

/** @throws UpstreamError `response_invalid` for a time of a sign-in that is to come, or that is none */
function identityOf({ issuer, subject, idToken, userInfo }: ProviderClaims, provider: Provider): Identity {
  const authTime = AuthTime.safeParse(idToken.auth_time)
  if (!authTime.success)
    throw new UpstreamError('response_invalid', { cause: new Error(`auth_time is ${idToken.auth_time}`) })
  return {
    issuer,
    subject,
    ...profileIn(provider, { ...idToken, iss: issuer }, userInfo),
    authTime: authTime.data,
    ...(provider.trustAcr ? authenticationIn(idToken) : {}),
  }
}

const AuthTime = z
  .number()
  .refine((time) => time <= Date.now() / 1000 + CLOCK_TOLERANCE, 'auth_time is in the future')
  .optional()
