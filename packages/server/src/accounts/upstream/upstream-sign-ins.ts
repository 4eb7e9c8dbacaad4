import * as z from 'zod'
import type { Config } from '../../config/config.ts'
import { type Provider, Providers } from '../../config/people.ts'
import { faultsOf, parseJson, readTextFile } from '../../config/text-file.ts'
import type { UpstreamOptions, UpstreamSignIn } from './upstream-sign-in.ts'

/**
 * One for each configured provider. Without one the OpenID Connect client library is not loaded.
 *
 * @throws Error that names the fault of the file of providers, without its secrets
 */
export async function upstreamSignIns(
  { upstream, upstreamFile }: Pick<Config, 'upstream' | 'upstreamFile'>,
  options: UpstreamOptions,
  onWarning: (warning: string) => void,
): Promise<readonly UpstreamSignIn[]> {
  const providers = [...upstream, ...(upstreamFile === undefined ? [] : await readProviders(upstreamFile))]
  if (providers.length === 0) return []
  for (const { id, emailsVerified } of providers)
    if (emailsVerified !== undefined) onWarning(vouchedWarning(id, emailsVerified))
  const { upstreamSignIn } = await import('./upstream-sign-in.ts')
  return providers.map((provider) => upstreamSignIn(provider, options))
}

const ProvidersFile = z.strictObject({
  providers: Providers(z.string().min(1)),
})

/** @throws Error that names the fault of the file, without its secrets */
async function readProviders(path: string): Promise<readonly Provider[]> {
  const parsed = ProvidersFile.safeParse(parseJson(path, await readTextFile(path)))
  if (!parsed.success) throw new Error(`${path} is not a file of OpenID providers: ${faultsOf(parsed.error)}`)
  return parsed.data.providers
}

function vouchedWarning(
  id: string,
  { domains, evenIfFalse }: NonNullable<Provider['emailsVerified']>,
): string {
  const although = evenIfFalse
    ? 'even if it says that they are not verified'
    : 'if it does not say whether they are verified'
  return `The provider ${id}: addresses of ${domains.join(', ')} count ${although} (emailsVerified). Whoever can edit their address there can claim any of them`
}
