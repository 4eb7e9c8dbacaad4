/** The token request with an assertion (RFC 7523 2.1): which profile it is, and what is counted and logged. */
import * as z from 'zod'
import { AUTHENTICATION_ERRORS } from '../../clients/authentication/client-authentication.ts'
import type { ServerContext } from '../../feature.ts'
import type { ExchangePlan, TokenRequest } from '../../grants/grant-type.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../../http/message.ts'
import { terminalText } from '../../kernel/display-text.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { type Hash, sha256, withoutSecrets } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import { LIMIT_ERRORS } from '../../limits/rate-limits.ts'
import { type Assertion, assertionId, MAX_ASSERTION_LENGTH, readAssertion } from './assertion.ts'
import { approveIdJag, type IdJagContext } from './id-jag.ts'
import { type ApprovedGrant, type GrantRequest, plannedGrant } from './issued-grant.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'
import { approveWorkload, type ReadRule, ruleFor } from './workload.ts'

/**
 * The grant type (RFC 7523 2.1).
 *
 * @example
 * ```ts
 * import { JWT_BEARER } from '@grantkit/core/jwt-bearer'
 *
 * export const exchangeOf = (assertion: string) => new URLSearchParams({ grant_type: JWT_BEARER, assertion })
 * ```
 */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** RFC 7523 2.1, RFC 8707 2.2. */
export const JwtBearerRequest = z.object({
  assertion: text(MAX_ASSERTION_LENGTH),
  scope: text().optional(),
  resource: ResourceParameter,
})

/** An assertion was refused. It is not in the event. */
export interface AssertionRefused {
  readonly type: 'assertion_refused'
  readonly reason: string
  readonly clientId: string
  /** As the assertion names it, which may be wrong. */
  readonly issuer?: string | undefined
  /** SHA-256 of its `jti`. */
  readonly jtiHash?: Hash | undefined
}

export interface ExchangeContext {
  readonly server: ServerContext
  readonly transients: Transients
  /** The values of `aud` for workloads without a rule about them. */
  readonly audiences: readonly string[]
  readonly idJag: Pick<IdJagContext, 'trustOf' | 'subjectOf'> | undefined
  readonly workloads: readonly ReadRule[]
}

/** The client of a request without one: the one that the only matching rule names. @throws OAuthError */
export async function clientOf({ workloads }: ExchangeContext, form: Parameters): Promise<string> {
  const assertion = readAssertion(readMessage(JwtBearerRequest, form).assertion)
  if (assertion.profile === 'id-jag') throw new OAuthError(AUTHENTICATION_ERRORS.client_not_identified)
  return ruleFor(workloads, assertion).options.client
}

export async function exchangeAssertion(
  context: ExchangeContext,
  request: TokenRequest,
): Promise<ExchangePlan> {
  const { assertion: jwt, scope, resource: resources } = readMessage(JwtBearerRequest, request.form)
  const { client, jkt } = request
  let assertion: Assertion | undefined
  const counted = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step()
    } catch (thrown) {
      throw await refused(context, thrown, request, assertion)
    }
  }
  const plan = await counted(async () => {
    assertion = readAssertion(jwt)
    const approved = await approve(context, assertion, { client, jkt, scope, resources })
    return plannedGrant(context.server, approved, request)
  })
  // Of several requests at once, all but one find their assertion used up.
  return { ...plan, commit: () => counted(plan.commit) }
}

function approve(
  context: ExchangeContext,
  assertion: Assertion,
  request: GrantRequest,
): Promise<ApprovedGrant> {
  const { server, transients, audiences, idJag, workloads } = context
  const shared = { server, transients, count: countIn(server) }
  if (assertion.profile === 'workload')
    return approveWorkload({ ...shared, rules: workloads, audiences }, assertion, request)
  if (idJag === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_typ)
  return approveIdJag({ ...shared, ...idJag }, assertion, request)
}

function countIn({ limiter }: ServerContext): IdJagContext['count'] {
  return ({ issuer, subject, tenant }, clientId) =>
    limiter.limit(
      'jwt_bearer',
      sha256(JSON.stringify([issuer, subject, clientId, ...(tenant === undefined ? [] : [tenant])])),
      JWT_GRANT_ERRORS.too_many_jwt_grants,
    )
}

/** All untrusted issuers share one counter; otherwise callers could fill the memory of the limiter with them. */
const UNTRUSTED: readonly string[] = [
  ...[JWT_GRANT_ERRORS.jwt_grant_malformed, JWT_GRANT_ERRORS.jwt_grant_typ],
  ...[JWT_GRANT_ERRORS.jwt_grant_issuer, JWT_GRANT_ERRORS.jwt_grant_rule],
].map(({ reason }) => reason)

/**
 * Logs an error of the caller, and counts it for its issuer: core counts it for the client and the network. Above the limit the
 * answer is a 429. A valid assertion is never counted here.
 */
async function refused(
  { server }: ExchangeContext,
  thrown: unknown,
  { client: { clientId } }: TokenRequest,
  assertion: Assertion | undefined,
): Promise<unknown> {
  if (!(thrown instanceof OAuthError) || thrown.status >= 500) return thrown
  const { reason } = thrown
  const { iss, jti } = assertion?.claims ?? {}
  const issuer = typeof iss === 'string' ? terminalText(withoutSecrets(iss).slice(0, 512)) : undefined
  const jtiHash = typeof jti === 'string' ? assertionId(jti) : undefined
  server.emit({ type: 'assertion_refused', reason, clientId, issuer, jtiHash } satisfies AssertionRefused)
  const key = UNTRUSTED.includes(reason) ? 'unknown' : sha256(String(issuer))
  const retryAfter = await server.limiter.take('jwt_bearer_failure', key)
  return retryAfter === 0
    ? thrown
    : new OAuthError(LIMIT_ERRORS.too_many_failures, undefined, { cause: thrown, retryAfter })
}
