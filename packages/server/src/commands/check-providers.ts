import { isMicrosoft } from '../accounts/upstream/address.ts'
import { authMethodOf } from '../accounts/upstream/client-authentication.ts'
import { UpstreamError } from '../accounts/upstream/identities.ts'
import { type ProviderClientOptions, providerClient } from '../accounts/upstream/provider-client.ts'
import { configuredProviders } from '../accounts/upstream/upstream-sign-ins.ts'
import type { Config } from '../config/config.ts'
import { presetOf } from '../config/provider-presets.ts'
import type { Provider } from '../config/providers.ts'

/** What a provider says of itself, and what this server makes of it. */
export interface ProviderReport {
  readonly id: string
  /** By subject. They contain no secret. */
  readonly rows: readonly (readonly [subject: string, text: string])[]
  readonly warnings: readonly string[]
  /** Why nobody can sign in with it. */
  readonly problem?: string
}

type WithProviders = Pick<Config, 'upstream' | 'upstreamFile'>

/** Warns of providers of which no address may count, as far as that is known without their documents. @throws the same */
export async function addressWarnings(config: WithProviders): Promise<readonly string[]> {
  const providers = await configuredProviders(config)
  return providers.flatMap((provider) => addressWarning(provider, unverifiedBy(provider)))
}

/** Reads the document of each provider. @throws Error that names the fault of the file of providers */
export async function providerReports(
  config: WithProviders & Pick<Config, 'baseUrl'>,
  fetch?: ProviderClientOptions['fetch'],
): Promise<readonly ProviderReport[]> {
  const providers = await configuredProviders(config)
  return Promise.all(providers.map((provider) => reportOf(provider, config.baseUrl, fetch)))
}

async function reportOf(
  provider: Provider,
  baseUrl: string,
  fetch: ProviderClientOptions['fetch'],
): Promise<ProviderReport> {
  const { id } = provider
  const redirectUri = `${baseUrl}/login/with/${id}/callback`
  const settings = [
    ['Redirect URI', `${redirectUri} (register it there)`],
    ['Settings', settingsOf(provider)],
  ] as const
  try {
    const metadata = await providerClient(provider, { redirectUri, fetch }).metadata()
    return {
      id,
      rows: [...settings, ...rowsOf(provider, metadata)],
      warnings: [...documentWarnings(provider, metadata), ...signOutWarnings(provider, metadata)],
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { id, rows: settings, warnings: [], problem: `${provider.issuer}: ${error.detail}` }
  }
}

type Metadata = Awaited<ReturnType<ReturnType<typeof providerClient>['metadata']>>

/** With what the preset has filled in, and without secrets. */
function settingsOf(provider: Provider): string {
  const { clientSecret: _, clientKey: __, id: ___, ...shown } = provider
  return Object.entries(shown)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

function rowsOf(provider: Provider, metadata: Metadata): ProviderReport['rows'] {
  const { token_endpoint_auth_methods_supported: methods, end_session_endpoint } = metadata
  const { response_modes_supported: modes, claims_parameter_supported: claims } = metadata
  const listed = methods?.join(', ') ?? 'not listed'
  if (provider.protocol !== 'openid')
    return [['Issuer', 'no OpenID Connect: it has no document to read, and nothing was asked'], NOT_TRIED]
  return [
    ['Issuer', `${metadata.issuer}, as configured`],
    NOT_TRIED,
    ['Client', `${authMethodOf(provider, methods)} (there: ${listed})`],
    ['PKCE', inWords(metadata.code_challenge_methods_supported?.includes('S256'))],
    ['form_post', inWords(modes?.includes('form_post'))],
    ['claims', inWords(claims)],
    ['End of session', inWords(end_session_endpoint !== undefined)],
  ]
}

const NOT_TRIED = ['Secret', 'not tried: only a sign-in does that'] as const

function inWords(supported: unknown): string {
  return supported === undefined ? 'not listed' : supported === true ? 'yes' : 'no'
}

function unverifiedBy({ preset, issuer }: Provider): string | undefined {
  return presetOf(preset ?? (isMicrosoft(issuer) ? 'microsoft' : undefined)).unverified
}

function documentWarnings(provider: Provider, { claims_supported: claims }: Metadata): readonly string[] {
  const isListed = !Array.isArray(claims) || claims.includes('email_verified')
  if (isListed || unverifiedBy(provider) !== undefined) return []
  return addressWarning(provider, 'its document lists no claim email_verified')
}

/** Whether users by domain can ever come in. @param why no address may count */
function addressWarning(
  { id, protocol, signUp, require, linkVerifiedEmail, emailsVerified }: Provider,
  why: string | undefined,
): readonly string[] {
  const rules = [signUp, require].map((rule) => (typeof rule === 'object' ? rule : {}))
  const needsAddress = rules.some(({ emailDomains }) => emailDomains !== undefined) || linkVerifiedEmail
  if (!why || !needsAddress || emailsVerified !== undefined || protocol !== 'openid') return []
  return [
    `The provider ${id}: its addresses may never count as verified, so nobody comes in by one. ${why}, or set emailsVerified`,
  ]
}

/** Whether its users can be signed out there. */
function signOutWarnings({ id, signOut }: Provider, metadata: Metadata): readonly string[] {
  if (signOut === undefined || metadata.end_session_endpoint !== undefined) return []
  return [`The provider ${id}: its document names no end_session_endpoint, so signOut does nothing`]
}
