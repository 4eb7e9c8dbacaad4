import type { TokenClaims, TokenClaimsRequest, UserClaims } from '@grantkit/core'
import type { Accounts } from '../accounts/accounts.ts'
import type { Config } from '../config/config.ts'
import type { ServiceDefinition } from '../definition.ts'

/** The claims of access tokens: those of the user that `resources` configures, and those of the definition. */
export function tokenClaimsOf(
  { resources }: Pick<Config, 'resources'>,
  accounts: Pick<Accounts, 'claims'>,
  { tokenClaims: own }: Pick<ServiceDefinition, 'tokenClaims'>,
): TokenClaims | undefined {
  const byResource = new Map(
    Object.entries(resources).map(([resource, { claims = [] }]) => [canonical(resource), claims]),
  )
  if (![...byResource.values()].some(({ length }) => length > 0)) return own
  return async (request) => {
    const names = namesFor(byResource, request)
    const user = names.length === 0 ? undefined : await accounts.claims(String(request.subject))
    return { ...partOf(user, names), ...(await own?.(request)) }
  }
}

/** A token for several APIs has only what each of them may see: every one gets the whole token. */
function namesFor(
  byResource: ReadonlyMap<string, readonly string[]>,
  { use, subject, resources }: TokenClaimsRequest,
): readonly string[] {
  const isOfToken = use === 'access_token' || use === 'introspection'
  if (!isOfToken || subject === undefined) return []
  const [first = [], ...others] = resources.map((resource) => byResource.get(resource) ?? [])
  return first.filter((name) => others.every((names) => names.includes(name)))
}

function partOf(user: UserClaims | undefined, names: readonly string[]): UserClaims {
  if (user === undefined) return {}
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(user, name)).map((name) => [name, user[name]]),
  )
}

/** As core has it: an origin is the same with and without a slash. */
function canonical(resource: string): string {
  return /^https?:\/\/[^/?#]+\/$/.test(resource) ? resource.slice(0, -1) : resource
}
