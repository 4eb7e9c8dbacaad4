import * as z from 'zod'
import type { Config } from '../../config/config.ts'
import { presetOf } from '../../config/provider-presets.ts'
import { faultTogether, isUnbound, type Provider, Providers } from '../../config/providers.ts'
import { contentOf, jsonOf } from '../../config/text-file.ts'
import { DAY_SECONDS } from '../../config/time-units.ts'
import { type UpstreamOptions, type UpstreamSignIn, upstreamSignIn } from './upstream-sign-in.ts'

/** A provider in the process. */
export interface LocalProvider {
  readonly provider: Provider
  readonly fetch: NonNullable<UpstreamOptions['fetch']>
  readonly keepsNoSession?: true | undefined
}

type WithProviders = Pick<Config, 'upstream' | 'upstreamFile'>

/**
 * One for each configured provider, and for that in the process.
 *
 * @throws Error that names the fault of the file of providers, without its secrets
 */
export async function upstreamSignIns(
  config: WithProviders,
  options: UpstreamOptions,
  local?: LocalProvider,
): Promise<readonly UpstreamSignIn[]> {
  const providers = await configuredProviders(config)
  const configured = providers.map((provider) => upstreamSignIn(provider, options))
  if (local === undefined) return configured
  const { provider, fetch, keepsNoSession } = local
  return [...configured, { ...upstreamSignIn(provider, { ...options, fetch }), keepsNoSession }]
}

/** Those of the configuration and of the file. @throws Error that names the fault of the file, without its secrets */
export async function configuredProviders({
  upstream,
  upstreamFile,
}: WithProviders): Promise<readonly Provider[]> {
  if (upstreamFile === undefined) return upstream
  const read = jsonOf(ProvidersFile, 'file of providers')
  const all = [...upstream, ...(await contentOf('UPSTREAM_FILE', upstreamFile, read)).providers]
  const fault = faultTogether(all)
  if (fault !== undefined) throw new Error(`${upstreamFile} together with upstream ${fault}`)
  return all
}

const ProvidersFile = z.strictObject({ providers: Providers(z.string().min(1)) })

/** Days before the end of a secret. */
const WARNED_DAYS = 30

/** What an operator should know of the providers at a start. @throws as {@link configuredProviders} */
export async function providerWarnings(
  config: WithProviders & Partial<Pick<Config, 'requirePasskey'>>,
  now = Date.now(),
): Promise<readonly string[]> {
  const providers = await configuredProviders(config)
  const lapsing = config.requirePasskey === undefined ? () => undefined : rolesLapse
  return providers.flatMap((provider) =>
    [
      weakness(provider),
      ending(provider, now),
      vouching(provider),
      proving(provider),
      lapsing(provider),
    ].flatMap((words) => (words === undefined ? [] : [`The provider ${provider.id}: ${words}`])),
  )
}

function weakness(provider: Provider): string | undefined {
  const { pkce, nonce, protocol } = provider
  if (isUnbound(provider))
    return 'it has neither PKCE nor a nonce, so a stolen code can be used by somebody else. It signs in no admin'
  if (!pkce) return 'it has no PKCE, so its answers are bound by the nonce alone'
  if (!nonce && protocol === 'openid') return 'it has no nonce, so its answers are bound by PKCE alone'
  return undefined
}

function ending({ secretExpires }: Provider, now: number): string | undefined {
  if (secretExpires === undefined) return undefined
  const days = Math.ceil((Date.parse(secretExpires) - now) / 1000 / DAY_SECONDS)
  if (days > WARNED_DAYS) return undefined
  return days < 0
    ? `its secret ended on ${secretExpires}: nobody can sign in with it until there is a new one`
    : `its secret ends on ${secretExpires}, in ${days} days: make a new one there`
}

function vouching({ emailsVerified }: Provider): string | undefined {
  if (emailsVerified === undefined) return undefined
  const { domains, evenIfFalse } = emailsVerified
  const although = evenIfFalse
    ? 'even if it says that they are not verified'
    : 'if it does not say whether they are verified'
  return `addresses of ${domains.join(', ')} count ${although} (emailsVerified). Whoever can edit their address there can claim any of them`
}

function proving({ preset, freshness }: Provider): string | undefined {
  if (freshness === 'returned' || !presetOf(preset).provesNothing) return undefined
  return 'it does not prove a new sign-in, so its users need a passkey or a password for one'
}

/** From that day on, a user of whom a passkey is demanded is let in by the provider only with `phr`. */
function rolesLapse({ roles, trustAcr }: Provider): string | undefined {
  if (roles === undefined || trustAcr) return undefined
  return 'it gives roles and has no trustAcr, so from the day of requirePasskey on its sign-ins give them to nobody who needs a passkey'
}
