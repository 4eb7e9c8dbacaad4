import { readProviders } from './providers.ts'
import type { UpstreamOptions, UpstreamSignIn } from './upstream-sign-in.ts'

/**
 * One for each provider of a file. Without a file the OpenID Connect client library is not loaded.
 *
 * @throws Error that names the fault of the file, without its secrets
 */
export async function upstreamSignIns(
  path: string | undefined,
  options: UpstreamOptions,
): Promise<readonly UpstreamSignIn[]> {
  if (path === undefined) return []
  const providers = await readProviders(path)
  const { upstreamSignIn } = await import('./upstream-sign-in.ts')
  return providers.map((provider) => upstreamSignIn(provider, options))
}
