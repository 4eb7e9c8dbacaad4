import {
  type AuthorizationServer,
  type Caller,
  createResourceServer,
  type ResourceServer,
  type ScopeCatalogue,
} from '@grantkit/core'
import { signInAttempts } from '@grantkit/explain'
import { ADMIN_SCOPES, adminResource } from './authorization/admin-scopes.ts'
import { proofsOf } from './authorization/dpop.ts'
import { AUTHENTICATION_CLASSES } from './config/authentication-classes.ts'
import type { ServiceContext } from './service-context.ts'

/** Guards of resources with the tokens of this server. */
export interface Guards {
  /** Requests without a token are anonymous: they get the public view, and no challenge. */
  api(resource: string): ResourceServer<string, Caller>
  admin(): ReturnType<typeof adminGuard>
  /** Whether guards of this service report every call with a token for these resources; for every resource if there is none. */
  reportCalls(resources: readonly string[]): boolean
  /** Whether DPoP is on. */
  readonly bindsTokens: boolean
}

export function guardsOf(
  context: ServiceContext,
  { accessTokens }: Pick<AuthorizationServer, 'accessTokens'>,
  scopes: ScopeCatalogue,
): Guards {
  const { config, storage, secret, onEvent } = context
  const proofs = proofsOf(config.features, secret)
  const explained = { observer: config.explain ? signInAttempts : undefined, secret }
  const authenticationClasses = config.features.stepUp ? AUTHENTICATION_CLASSES : undefined
  const shared = { store: storage.store, accessTokens, proofs, authenticationClasses, ...explained, onEvent }
  const all = [config.baseUrl, ...Object.keys(config.resources)]
  const guarded = new Set<string>()
  return {
    api(resource) {
      guarded.add(resource)
      return createResourceServer({ ...shared, scopes, anonymous: 'allow', resource })
    },
    admin() {
      guarded.add(adminResource(config.baseUrl))
      return adminGuard(shared, config.baseUrl)
    },
    reportCalls: (resources) =>
      (resources.length === 0 ? all : resources).every((resource) => guarded.has(resource)),
    bindsTokens: proofs !== undefined,
  }
}

function adminGuard(
  shared: Omit<Parameters<typeof createResourceServer>[0], 'scopes' | 'resource' | 'anonymous'>,
  baseUrl: string,
) {
  return createResourceServer({ ...shared, scopes: ADMIN_SCOPES, resource: adminResource(baseUrl) })
}
