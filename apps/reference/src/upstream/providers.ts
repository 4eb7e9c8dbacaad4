import { readFile } from 'node:fs/promises'
import { isLoopbackUrl } from '@grantkit/core/feature'
import { z } from 'zod'

/** An OpenID provider that users may sign in with instead of a password. Its members are named as OAuth names them. */
const Provider = z.strictObject({
  /** Part of its sign-in paths; the redirect URI is `<BASE_URL>/login/with/<id>/callback`. */
  id: z.string().regex(/^[a-z0-9-]{1,30}$/, 'must be 1 to 30 of a-z, 0-9 and -'),
  /** The text of its button after "Continue with". */
  label: z.string().min(1).max(40),
  issuer: z.url({ protocol: /^https?$/ }).refine(isSafe, 'must be https, except on localhost'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  scope: z.string().default('openid email profile'),
  /** Whether an unknown user gets an account: never, always, or with a verified address of these domains. */
  sign_up: z
    .union([z.boolean(), z.strictObject({ email_domains: z.array(z.string().toLowerCase()).min(1) })])
    .default(false),
  /** Whether an identity is linked to the account with the same address, if both sides have verified it. */
  link_verified_email: z.boolean().default(false),
})
export type Provider = z.output<typeof Provider>

const ProvidersFile = z.strictObject({
  providers: z
    .array(Provider)
    .refine(
      (providers) => new Set(providers.map(({ id }) => id)).size === providers.length,
      'has an id twice',
    ),
})

/** @throws Error that names the fault of the file, without its secrets */
export async function readProviders(path: string): Promise<readonly Provider[]> {
  const parsed = ProvidersFile.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!parsed.success)
    throw new Error(`${path} is not a file of OpenID providers: ${z.prettifyError(parsed.error)}`)
  return parsed.data.providers
}

function isSafe(issuer: string): boolean {
  return issuer.startsWith('https:') || isLoopbackUrl(issuer)
}
