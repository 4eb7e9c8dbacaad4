import type { OnEvent } from './events.ts'
import type { Interaction } from './interaction.ts'
import type { Lifetimes, Paths } from './options.ts'
import type { RateLimiter } from './rate-limits.ts'
import type { UserClaims } from './rules/claims.ts'
import type { RedirectUriPolicy } from './rules/redirect-uri.ts'
import type { ScopeCatalogue } from './rules/scope.ts'
import type { Random } from './secrets.ts'
import type { Store } from './store.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'

/** The options after their checks, every default in place: what the endpoints work with. */
export interface ServerContext {
  readonly issuer: string
  readonly store: Store
  readonly scopes: ScopeCatalogue
  readonly interaction: Interaction
  readonly secret: string
  readonly keys: SigningKeys
  readonly claims: (subject: string) => Promise<UserClaims | undefined>
  readonly resources: readonly string[]
  readonly defaultScope?: string | undefined
  readonly redirectUris: RedirectUriPolicy
  readonly rateLimiter?: RateLimiter | undefined
  readonly lifetimes: Lifetimes
  readonly paths: Paths
  readonly onEvent: OnEvent
  readonly now: () => number
  readonly random: Random
  readonly documentation?: string | undefined
}
