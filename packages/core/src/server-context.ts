import type { AuthenticationClasses } from './authorization/authentication-classes.ts'
import { type AuthorizationOptions, codeLifetime, grantLifetime } from './authorization/authorization.ts'
import type { ValidateRequest } from './authorization/request-source.ts'
import { TICKET_PURPOSES, ticketsFor } from './authorization/ticket.ts'
import type { SessionObserver } from './authorization/user-sessions.ts'
import type { MountedFeatures, ServerContext } from './feature.ts'
import { type GrantOptions, grantTerms } from './grants/grant-terms.ts'
import type { Kernel } from './kernel/kernel.ts'
import { acceptedSecrets } from './kernel/server-secret.ts'
import { type LimitOptions, limiterOf } from './limits/rate-limits.ts'
import type { AccessTokenFormat } from './tokens/credential.ts'
import { type SigningKeyOptions, signingKeys } from './tokens/signing-keys.ts'

type ContextOptions = AuthorizationOptions & GrantOptions & LimitOptions & SigningKeyOptions

/** Members that exist once all features are created. */
export interface Mounted extends Pick<MountedFeatures, 'senderConstraint' | 'rateLimits'> {
  readonly accessTokens: AccessTokenFormat
  readonly sessions: SessionObserver
  readonly authenticationClasses: AuthenticationClasses
  readonly validateRequest: ValidateRequest
}

/**
 * What features get. They are created one after the other, so what they bring to each other is looked up when a request
 * arrives.
 *
 * @returns the context, and a function that ends the creation of features
 * @throws Error that names the option at fault
 */
export function serverContext(
  kernel: Kernel,
  options: ContextOptions,
): { readonly server: ServerContext; readonly mount: (all: Mounted) => void } {
  let all: Mounted | undefined
  function mounted(): Mounted {
    if (all === undefined) throw new Error('features: the server is used before all features are created')
    return all
  }
  const secret = acceptedSecrets(options.secret)
  const accessTokens = formatOf(() => mounted().accessTokens)
  const { boundResources, emit, now, random } = kernel
  const terms = {
    ...{ ...grantTerms(options), grant: grantLifetime(options), code: codeLifetime(options) },
    ...{ longest: accessTokens.longest, boundResources },
  }
  const purposes = new Set(TICKET_PURPOSES)
  const server: ServerContext = {
    ...kernel,
    ...{ secret, accessTokens, terms },
    keys: signingKeys(options.keys ?? [], { now, lifetime: terms.accessToken, emit }),
    interaction: options.interaction,
    defaultScope: options.defaultScope,
    unknownScopes: options.unknownScopes,
    limiter: limiterOf(options, kernel, () => mounted().rateLimits),
    get senderConstraint() {
      return mounted().senderConstraint
    },
    get sessions() {
      return mounted().sessions
    },
    get authenticationClasses() {
      return mounted().authenticationClasses
    },
    validateRequest: (...request) => mounted().validateRequest(...request),
    tickets(purpose) {
      if (purposes.has(purpose)) throw new Error(`tickets: two features have the purpose ${purpose}`)
      purposes.add(purpose)
      return ticketsFor(purpose, secret, random)
    },
  }
  const mount = (parts: Mounted) => {
    all = parts
  }
  return { server, mount }
}

/** It may be an instance of a class, so its methods are called on it. */
function formatOf(mounted: () => AccessTokenFormat): Required<AccessTokenFormat> {
  return {
    write: (token, grant, claims) => mounted().write(token, grant, claims),
    read: (text) => mounted().read(text),
    grantIdOf: (text) => mounted().grantIdOf(text),
    longest: (resources) => mounted().longest?.(resources),
  }
}
