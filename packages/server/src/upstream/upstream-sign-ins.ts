import type { Config } from '../config/config.ts'
import { readProviders } from './providers.ts'
import type { UpstreamOptions, UpstreamSignIn } from './upstream-sign-in.ts'

/**
 * One for each configured provider. Without one the OpenID Connect client library is not loaded.
 *
 * @throws Error that names the fault of the file of providers, without its secrets
 */
export async function upstreamSignIns(
  { upstream, upstreamFile }: Pick<Config, 'upstream' | 'upstreamFile'>,
  options: UpstreamOptions,
): Promise<readonly UpstreamSignIn[]> {
  const providers = [...upstream, ...(upstreamFile === undefined ? [] : await readProviders(upstreamFile))]
  if (providers.length === 0) return []
  const { upstreamSignIn } = await import('./upstream-sign-in.ts')
  return providers.map((provider) => upstreamSignIn(provider, options))
}
