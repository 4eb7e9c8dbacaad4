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
): Promise<readonly UpstreamSignIn[]> {
  const providers = [...upstream, ...(upstreamFile === undefined ? [] : await readProviders(upstreamFile))]
  if (providers.length === 0) return []
  const { upstreamSignIn } = await import('./upstream-sign-in.ts')
  return providers.map((provider) => upstreamSignIn(provider, options))
}

/** In a file of its own, members are named as OAuth names them. */
const CAMEL_CASE = new Map([
  ['client_id', 'clientId'],
  ['client_secret', 'clientSecret'],
  ['sign_up', 'signUp'],
  ['email_domains', 'emailDomains'],
  ['link_verified_email', 'linkVerifiedEmail'],
  ['trust_acr', 'trustAcr'],
])

const ProvidersFile = z.strictObject({
  providers: z.preprocess(inCamelCase, Providers(z.string().min(1))),
})

/** @throws Error that names the fault of the file, without its secrets */
async function readProviders(path: string): Promise<readonly Provider[]> {
  const parsed = ProvidersFile.safeParse(parseJson(path, await readTextFile(path)))
  if (!parsed.success) throw new Error(`${path} is not a file of OpenID providers: ${faultsOf(parsed.error)}`)
  return parsed.data.providers
}

function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [CAMEL_CASE.get(name) ?? name, inCamelCase(inner)]),
  )
}
