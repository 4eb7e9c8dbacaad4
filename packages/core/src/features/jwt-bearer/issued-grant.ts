import type { ServerContext } from '../../feature.ts'
import { singleTokenGrant } from '../../grants/grant.ts'
import type { ExchangePlan, TokenRequest } from '../../grants/grant-type.ts'
import { openWithinLimit } from '../../grants/user-grants.ts'
import { OAuthError, SERVER_ERRORS } from '../../kernel/oauth-error.ts'
import type { Client, Grant } from '../../kernel/records.ts'
import { canonicalResource } from '../../kernel/resource-indicator.ts'
import {
  includesAll,
  parseScope,
  partOf,
  SCOPE_ERRORS,
  type ScopeCatalogue,
  scopeCeiling,
} from '../../kernel/scope.ts'
import type { Transients } from '../../kernel/store.ts'
import { type AssertionUse, JWT_GRANT_ERRORS, markUsed } from './assertion.ts'

/** What a token request asks for, next to its assertion. */
export interface GrantRequest {
  readonly client: Client
  readonly scope: string | undefined
  readonly resources: readonly string[]
  /** The thumbprint of the key that the request proves. */
  readonly jkt: string | undefined
}

export interface ApprovedGrant {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly authTime?: number | undefined
  readonly acr?: string | undefined
  readonly amr?: readonly string[] | undefined
  readonly authority: NonNullable<Grant['authority']>
  /** The user; absent for a workload. */
  readonly subject?: string | undefined
  /** Of the token, in seconds. */
  readonly lifetime: number
  readonly use: AssertionUse
}

/** A token was issued for an assertion. */
export interface AssertionExchanged {
  readonly type: 'assertion_exchanged'
  readonly grantId: string
  readonly clientId: string
  /** The user; absent for a workload. */
  readonly subject?: string | undefined
  /** `iss` of the assertion, and its `sub`. */
  readonly issuer: string
  readonly assertedSubject: string
  /** `act.sub` of an ID-JAG: who acts for the user, as the issuer says. */
  readonly actor?: string | undefined
}

/** One grant with one token, which ends with it. There is no refresh token: the client presents another assertion. */
export function plannedGrant(
  server: ServerContext,
  transients: Transients,
  { subject, lifetime, use, ...given }: ApprovedGrant,
  { client: { clientId }, jkt }: TokenRequest,
): ExchangePlan & { readonly commit: () => Promise<boolean> } {
  const approved = {
    // A workload is no user: guards treat it as they treat client credentials.
    ...(subject === undefined ? { origin: 'machine' as const } : { origin: 'assertion' as const, subject }),
    ...{ clientId, ...given },
  }
  // Keys and users may have taken seconds to find.
  const now = server.now()
  const terms = { ...server.terms, accessToken: lifetime }
  const { grant, issued } = singleTokenGrant(server.random, approved, jkt, now, terms)
  const { issuer, subject: assertedSubject, actor } = given.authority
  const ids = { grantId: grant.id, clientId, subject, issuer, assertedSubject, actor }
  return {
    grant,
    issued,
    async commit() {
      await markUsed(transients, use, server)
      const opened =
        subject === undefined
          ? await server.store.grants.insert(grant.id, grant, grant.expiresAt)
          : await openWithinLimit(server, grant)
      if (!opened) throw new OAuthError(SERVER_ERRORS.contention)
      return true
    },
    events: [{ type: 'assertion_exchanged', ...ids } satisfies AssertionExchanged],
  }
}

// What a token gets: an assertion only narrows what its trust gives, and so does the request.

/**
 * The scopes that the trust, the client and each of the texts allow.
 *
 * @param catalogue of the server
 * @param texts `scope` of the request and of the assertion; one that is absent allows all
 * @throws OAuthError `invalid_scope`
 */
export function scopesWithin(
  trusted: readonly string[],
  client: Client,
  catalogue: ScopeCatalogue,
  texts: readonly (string | undefined)[],
): readonly string[] {
  const bounds = [scopeCeiling(client, catalogue), ...texts.map(namesIn)]
  const scopes = bounds.reduce<readonly string[]>((left, bound = left) => partOf(left, bound), trusted)
  if (scopes.length === 0) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_scope)
  return scopes
}

function namesIn(scope: string | undefined): readonly string[] | undefined {
  if (scope === undefined) return undefined
  const names = parseScope(scope)
  if (names === undefined) throw new OAuthError(SCOPE_ERRORS.scope_malformed)
  return names
}

/** The requested part of the allowed resources; all of them if the request names none. @throws OAuthError `invalid_target` */
export function resourcesWithin(allowed: readonly string[], requested: readonly string[]): readonly string[] {
  const wanted = requested.map(canonicalResource)
  if (!includesAll(allowed, wanted)) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_target)
  return wanted.length === 0 ? allowed : partOf(allowed, wanted)
}
