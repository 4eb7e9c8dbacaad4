import { isLoopbackUrl } from '@grantkit/core/feature'
import { displayText } from '@grantkit/core/internal'
import { compactVerify, createRemoteJWKSet, decodeProtectedHeader, customFetch as fetchOfJose } from 'jose'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  fetchUserInfo,
  type ServerMetadata,
} from 'openid-client'
import type { Provider } from '../../config/providers.ts'
import { ACCOUNT_APIS, claimsOfApi } from './account-apis.ts'
import type { ProviderClaims } from './address.ts'
import { clientAuthentication } from './client-authentication.ts'
import { UpstreamError, upstreamErrorOf } from './identities.ts'
import { isComplete } from './memberships.ts'
import { faultOf, isOfOtherIssuer, mayComeFromOldMetadata } from './provider-faults.ts'

/** The client of one provider: the way to it, and what its answer says of the user. Its tokens are dropped afterwards. */
export interface ProviderClient {
  /** What the provider supports. @throws UpstreamError `unreachable`, or `response_invalid` for the document of another issuer */
  metadata(): Promise<ServerMetadata>
  /** @param more parameters of the request. @throws UpstreamError as `metadata` */
  authorizationUrl(flow: ProviderFlow, more: Readonly<Record<string, string>>): Promise<string>
  /** Where the provider signs its user out; `undefined` if its document names no such address, or is not read within a second. */
  endSessionUrl(more: Readonly<Record<string, string>>): Promise<string | undefined>
  /**
   * Redeems the code of an authorization response.
   *
   * @param answer its parameters, as the provider encoded them
   * @throws UpstreamError
   */
  claims(answer: string, flow: ProviderFlow): Promise<ProviderClaims>
}

/** What binds an answer to its request. */
interface ProviderFlow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface ProviderClientOptions {
  readonly redirectUri: string
  /** Default: `fetch` of the platform. */
  readonly fetch?: CustomFetch | undefined
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
/** The timeout of one request to a provider, in seconds. */
const TIMEOUT = 5
/** For `exp` and `nbf` of a provider, in seconds: clocks of hosts that nobody here can set. */
const TOLERANCE = 300

export function providerClient(
  provider: Provider,
  { redirectUri, fetch }: ProviderClientOptions,
): ProviderClient {
  const { protocol, pkce, nonce: withNonce } = provider
  const connection = renewed(() => connect(provider, fetch))

  async function connected(): Promise<Connection> {
    try {
      return await connection.get()
    } catch (cause) {
      const reason = isOfOtherIssuer(cause) ? 'response_invalid' : 'unreachable'
      throw new UpstreamError(reason, { cause: faultOf(cause) })
    }
  }

  return {
    metadata: async () => (await connected()).configuration.serverMetadata(),
    async authorizationUrl({ state, nonce, verifier }, more) {
      const { configuration } = await connected()
      const challenge = pkce && {
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }
      const parameters = {
        redirect_uri: redirectUri,
        scope: provider.scope,
        state,
        ...(withNonce ? { nonce } : {}),
        ...(challenge || {}),
        ...(provider.responseMode === 'query' ? {} : { response_mode: provider.responseMode }),
        ...more,
      }
      try {
        const url = buildAuthorizationUrl(configuration, parameters)
        // Cognito takes a plus for a plus.
        url.search = url.search.replaceAll('+', '%20')
        return url.href
      } catch (cause) {
        throw new UpstreamError('unreachable', { cause: faultOf(cause) })
      }
    },
    async endSessionUrl(more) {
      try {
        const here = await connection.soon()
        return here && buildEndSessionUrl(here.configuration, more).href
      } catch {
        return undefined
      }
    },
    async claims(answer, { state, nonce, verifier }) {
      const here = await connected()
      const { configuration } = here
      const url = new URL(redirectUri)
      url.search = answer
      try {
        const tokens = await authorizationCodeGrant(configuration, url, {
          expectedState: state,
          ...(pkce ? { pkceCodeVerifier: verifier } : {}),
          ...(withNonce ? { expectedNonce: nonce } : {}),
          idTokenExpected: protocol === 'openid',
        })
        if (protocol !== 'openid')
          return await claimsOfApi(ACCOUNT_APIS[protocol], configuration, tokens.access_token, provider)
        return await claimsOfTokens(provider, here, tokens, url.searchParams)
      } catch (cause) {
        if (mayComeFromOldMetadata(cause)) connection.doubt()
        throw upstreamErrorOf(cause, faultOf(cause))
      }
    },
  }
}

interface Connection {
  readonly configuration: Configuration
  /** The keys of its ID tokens; `undefined` if the metadata name none. */
  readonly keys: ReturnType<typeof createRemoteJWKSet> | undefined
}

async function connect(provider: Provider, fetch: CustomFetch | undefined): Promise<Connection> {
  const { issuer, clientId, protocol } = provider
  const isLocal = isLoopbackUrl(issuer)
  const client = { [clockTolerance]: TOLERANCE }
  const authentication = clientAuthentication(provider)
  if (protocol !== 'openid') {
    const metadata = ACCOUNT_APIS[protocol].metadata(issuer.replace(/\/$/, ''))
    const configuration = new Configuration(metadata, clientId, client, authentication)
    configuration.timeout = TIMEOUT
    if (fetch !== undefined) configuration[customFetch] = fetch
    if (isLocal) allowInsecureRequests(configuration)
    return { configuration, keys: undefined }
  }
  const configuration = await discovery(new URL(issuer), clientId, client, authentication, {
    execute: isLocal ? [allowInsecureRequests] : [],
    timeout: TIMEOUT,
    ...(fetch === undefined ? {} : { [customFetch]: fetch }),
  })
  const { jwks_uri } = configuration.serverMetadata()
  const options = {
    timeoutDuration: TIMEOUT * SECOND,
    cacheMaxAge: 5 * MINUTE,
    ...(fetch === undefined ? {} : { [fetchOfJose]: fetch as never }),
  }
  return {
    configuration,
    keys: jwks_uri === undefined ? undefined : createRemoteJWKSet(new URL(jwks_uri), options),
  }
}

/**
 * The metadata are read at the first sign-in, so that a provider outage does not stop the service; again after a day; and after
 * a fault that a change at the provider explains, at most once a minute. The old copy serves if that fails.
 */
function renewed<Value>(read: () => Promise<Value>) {
  let copy: { readonly value: Value } | undefined
  let reading: Promise<Value> | undefined
  let triedAt = 0
  let doubted = false

  function renew(): Promise<Value> {
    if (reading !== undefined) return reading
    triedAt = Date.now()
    reading = read()
      .then((value) => {
        copy = { value }
        doubted = false
        return value
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return {
    async get(): Promise<Value> {
      if (copy === undefined) return renew()
      const { value } = copy
      if (Date.now() - triedAt < (doubted ? MINUTE : DAY)) return value
      doubted = true
      return renew().catch(() => value)
    },
    /** The copy, however old. Without one it is read, for a second at most, and not within a minute after that has failed. */
    async soon(): Promise<Value | undefined> {
      if (copy === undefined && (reading !== undefined || Date.now() - triedAt >= MINUTE)) {
        const late = Promise.withResolvers<void>()
        const timer = setTimeout(late.resolve, SECOND)
        await Promise.race([renew().catch(() => {}), late.promise])
        clearTimeout(timer)
      }
      return copy?.value
    },
    doubt() {
      doubted = true
    },
  }
}

type Tokens = Awaited<ReturnType<typeof authorizationCodeGrant>>

/** UserInfo is asked for what the ID token lacks. Its `sub` must be the same (OpenID Connect Core 5.3.2). */
async function claimsOfTokens(
  provider: Provider,
  { configuration, keys }: Connection,
  tokens: Tokens,
  answer: URLSearchParams,
): Promise<ProviderClaims> {
  const idToken = tokens.claims()
  if (idToken === undefined) throw new Error('There is no ID token')
  await verifySignature(tokens.id_token ?? '', keys)
  const { iss: issuer, sub: subject } = idToken
  const asks =
    !isComplete(provider, idToken) && configuration.serverMetadata().userinfo_endpoint !== undefined
  const userInfo = asks ? await fetchUserInfo(configuration, tokens.access_token, subject) : undefined
  const name = nameBeside(answer)
  return {
    issuer,
    subject,
    idToken: name === undefined ? idToken : { name, ...idToken },
    ...(userInfo === undefined ? {} : { userInfo }),
  }
}

/** TLS has authenticated a token that is signed with the secret of the client (OpenID Connect Core 3.1.3.7, 6). */
async function verifySignature(idToken: string, keys: Connection['keys']): Promise<void> {
  if (decodeProtectedHeader(idToken).alg?.startsWith('HS')) return
  if (keys === undefined) throw new Error('The metadata have no jwks_uri')
  await compactVerify(idToken, keys)
}

/** Apple sends the name beside the code, at the first consent only, and unsigned: it is only for the page. */
function nameBeside(answer: URLSearchParams): string | undefined {
  try {
    const { firstName, lastName } = JSON.parse(answer.get('user') ?? '').name
    return (
      displayText([firstName, lastName].filter((part) => typeof part === 'string').join(' ')) || undefined
    )
  } catch {
    return undefined
  }
}
