/**
 * The code of a request that its user answers elsewhere: its client polls with it, and it gets the first tokens of the grant once
 * the user has approved. The device grant (RFC 8628 3.4) and requests by a back channel have one.
 */
import { withRemainingScopes } from '../clients/client-record.ts'
import type { Parameters } from '../http/message.ts'
import type { BaseEvent } from '../kernel/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type ErrorDefinition, OAuthError, ownedBy } from '../kernel/oauth-error.ts'
import type { AuthorizationCode, Client, Grant } from '../kernel/records.ts'
import { narrowedResources } from '../kernel/resource-indicator.ts'
import {
  type AcceptedSecrets,
  type GrantId,
  newId,
  type Secret,
  type SuccessorKeys,
  sameSecret,
  sha256,
  successorKeys,
} from '../kernel/secrets.ts'
import type { Stored } from '../kernel/store.ts'
import type { Limiter } from '../limits/rate-limits.ts'
import type { DecoupledCode } from '../tokens/credential.ts'
import { CODE_ERRORS, verifierMatches } from './authorization-code.ts'
import { planOf } from './change-grant.ts'
import {
  type DecoupledRequest,
  type DecoupledRequests,
  findRequest,
  INTERVAL,
  requestRecordId,
} from './decoupled-request.ts'
import { type FreshSecrets, firstTokens, type IssuedTokens, type Outcome } from './grant.ts'
import { type ArrivedRequest, type GrantTerms, type Retry, retryOf } from './grant-terms.ts'
import type { GrantType, TokenRequest } from './grant-type.ts'
import type { WithTerms } from './request-terms.ts'

/** What the token endpoint answers about a code, by the names of its flow. */
export interface DecoupledCodeErrors {
  readonly unknown: ErrorDefinition
  readonly ofOtherClient: ErrorDefinition
  readonly ofOtherKey: ErrorDefinition
  readonly expired: ErrorDefinition
  /** `authorization_pending`. */
  readonly pending: ErrorDefinition
  /** `slow_down`. */
  readonly polledTooFast: ErrorDefinition
  /** `access_denied`. */
  readonly denied: ErrorDefinition
  readonly replayed: ErrorDefinition
  readonly retryKeyGone: ErrorDefinition
  /** With `anotherKey` as its text, if the key is what differs. */
  readonly retryDiffers: ErrorDefinition
  readonly anotherKey: string
}

export interface DecoupledCodes extends DecoupledRequests {
  readonly server: Kernel &
    WithTerms & {
      readonly secret: AcceptedSecrets
      readonly limiter: Limiter
      readonly terms: GrantTerms
    }
  readonly errors: DecoupledCodeErrors
  readonly pollLimit: string
  parse(code: string): DecoupledCode | undefined
  /** The message of a poll. */
  read(form: Parameters): Pick<DecoupledRedemption, 'text' | 'verifier' | 'resources'>
  /** @param retried how an earlier answer is repeated; absent for new tokens */
  redeemed(ids: { readonly grantId: string; readonly clientId: string }, retried?: Retry): BaseEvent
}

/** Exchanges a code for the first tokens of its grant, once its user has approved. */
export function decoupledGrantType(
  codes: DecoupledCodes,
  about: Omit<GrantType, 'transientOf' | 'exchange'>,
): GrantType {
  const { server, kind } = codes
  const keys = successorKeys(server.secret)
  return {
    ...about,
    // Whether the request has a grant already is not known, so both are read in parallel.
    transientOf(text) {
      const code = codes.parse(text)
      return code && requestRecordId(kind, code.requestId)
    },
    async exchange(request) {
      const redemption = redemptionOf(codes, keys, request)
      // A request has a grant as soon as its user approves it.
      const stored = request.stored ?? (await pendingPoll(codes, redemption, request))
      const outcome = redeemDecoupledCode(stored.value, redemption, request.now, server.terms, codes.errors)
      const retried = outcome.kind === 'ended' ? undefined : outcome.result.retried
      const ids = { grantId: stored.value.id, clientId: request.client.clientId }
      return planOf(server, stored, outcome, request, [codes.redeemed(ids, retried)])
    },
  }
}

function redemptionOf(
  codes: DecoupledCodes,
  keys: SuccessorKeys,
  { client, form, arrivedAt, jkt }: TokenRequest,
): DecoupledRedemption {
  const { server } = codes
  const sent = codes.read(form)
  const code = codes.parse(sent.text)
  if (code === undefined) throw new OAuthError(codes.errors.unknown)
  const knownResources = server.resources
  return { ...sent, code, client, arrivedAt, jkt, knownResources, salt: newId(server.random), keys }
}

/**
 * The answer to a poll whose request has no grant (RFC 8628 3.5). It writes nothing.
 *
 * @returns the grant, if the user has approved since it was looked for
 * @throws OAuthError if there is none
 */
async function pendingPoll(
  codes: DecoupledCodes,
  { code, text, client, jkt: proven }: DecoupledRedemption,
  { now, transient }: TokenRequest,
): Promise<Stored<Grant>> {
  const { server, errors } = codes
  const requested = await findRequest(codes, code.requestId, transient)
  if (requested === undefined || !isOfCode(requested, text, code.grantId))
    throw new OAuthError(errors.unknown)
  const { clientId, decision, endsAt, jkt } = requested
  if (clientId !== client.clientId) throw new OAuthError(errors.ofOtherClient, undefined, ownedBy(requested))
  if (jkt !== undefined && jkt !== proven) throw new OAuthError(errors.ofOtherKey)
  if (decision?.scopes.length === 0) throw new OAuthError(errors.denied)
  const approved = decision && (await server.store.grants.find(code.grantId))
  if (approved !== undefined) return approved
  if (now >= endsAt) throw new OAuthError(errors.expired)
  // Only an open request makes its client slow down. After the decision, the client must get the answer.
  if ((await server.limiter.take(codes.pollLimit, code.requestId)) > 0)
    throw new SlowDown(errors.polledTooFast)
  throw new OAuthError(errors.pending, undefined, { interim: true })
}

export function isOfCode(
  { grantId, codeHash }: Pick<DecoupledRequest, 'grantId' | 'codeHash'>,
  text: string,
  id: GrantId,
): boolean {
  return grantId === id && sameSecret(codeHash, sha256(text))
}

/** Names the new interval, as clients for GitHub expect. Other clients add five seconds themselves (RFC 8628 3.5). */
class SlowDown extends OAuthError {
  constructor(error: ErrorDefinition) {
    super(error, undefined, { interim: true })
  }

  override toJSON(): { error: string; error_description: string; interval: number } {
    return { ...super.toJSON(), interval: INTERVAL + 5 }
  }
}

export interface DecoupledRedemption extends ArrivedRequest {
  readonly code: DecoupledCode
  /** The code as it was sent. */
  readonly text: string
  readonly client: Client
  readonly verifier: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only by the first redemption. */
  readonly salt: string
  readonly keys: SuccessorKeys
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/**
 * Exchanges the code of an approved request (RFC 8628 3.4). Answers get lost in bad networks, so the tokens are derived
 * from the code: the next poll gets the same tokens.
 *
 * @throws OAuthError when nothing is consumed
 */
export function redeemDecoupledCode(
  grant: Grant,
  request: DecoupledRedemption,
  now: number,
  terms: GrantTerms,
  errors: DecoupledCodeErrors,
): Outcome<IssuedTokens> {
  const { code } = grant
  if (code === undefined || !sameSecret(sha256(request.text), code.hash)) throw new OAuthError(errors.unknown)
  if (request.client.clientId !== grant.clientId)
    throw new OAuthError(errors.ofOtherClient, undefined, ownedBy(grant))
  // A caller without the key cannot use the code and must not end the grant either.
  if (code.jkt !== undefined && code.jkt !== request.jkt) throw new OAuthError(errors.ofOtherKey)
  const { redeemedAt } = code
  // The refresh token of the first answer is used once it is rotated, or once a client that keeps it used it.
  const unused = grant.usedAt === redeemedAt && (grant.refresh?.generation ?? 0) === 0
  const answer = redeemedAt === undefined ? undefined : { givenAt: redeemedAt, unused }
  const retried = answer && retryOf(answer, request, terms)
  if (redeemedAt !== undefined && retried === undefined) return { kind: 'ended', refusal: errors.replayed }
  if (redeemedAt === undefined && now >= code.expiresAt) throw new OAuthError(errors.expired)
  if (code.challenge !== undefined && request.verifier === undefined)
    throw new OAuthError(CODE_ERRORS.code_verifier_missing)
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if (!verifierMatches(request.verifier, code.challenge))
    return { kind: 'ended', refusal: CODE_ERRORS.code_verifier_mismatch }
  const narrowed = { ...request, resources }
  return retried === undefined
    ? redeem(grant, code, narrowed, now, terms)
    : redeemAgain(grant, code, { ...narrowed, retried }, now, errors)
}

function redeem(
  grant: Grant,
  code: AuthorizationCode,
  redemption: DecoupledRedemption,
  now: number,
  terms: GrantTerms,
): Outcome<IssuedTokens> {
  const { salt, keys, client, resources, jkt } = redemption
  const fresh = freshOf(keys.derive(redemption.code.secret + salt))
  const remaining = withRemainingScopes(grant, client)
  const { tokens, issued } = firstTokens(remaining, { client, fresh, resources, jkt }, now, terms)
  const spent = { ...code, redeemedAt: now, salt, keyId: keys.keyId }
  return { kind: 'changed', grant: { ...remaining, ...tokens, code: spent }, result: issued }
}

/** The same tokens again. A token that was revoked stays revoked: `expires_in` 0 makes the client refresh at once. */
function redeemAgain(
  grant: Grant,
  { salt = '', keyId = '' }: AuthorizationCode,
  redemption: DecoupledRedemption & { readonly retried: Retry },
  now: number,
  errors: DecoupledCodeErrors,
): Outcome<IssuedTokens> {
  const { refresh, scopes } = grant
  const { keys, resources, jkt, retried } = redemption
  const derived = keys.deriveAgain(redemption.code.secret + salt, keyId)
  if (derived === undefined) throw new OAuthError(errors.retryKeyGone)
  const { accessToken, refreshToken, family } = freshOf(derived)
  const access = grant.accessTokens.find(({ hash }) => hash === sha256(accessToken))
  if (access !== undefined && access.resources.join(' ') !== resources.join(' '))
    throw new OAuthError(errors.retryDiffers)
  if (access !== undefined && access.jkt !== jkt) throw new OAuthError(errors.retryDiffers, errors.anotherKey)
  const expiresIn = Math.max((access?.expiresAt ?? now) - now, 0)
  const first = refresh && { family, generation: 0, secret: refreshToken }
  const result = { accessToken, refreshToken: first, scopes, resources, expiresIn, jkt, retried }
  return retried === 'late' && refresh !== undefined && refresh.shared === undefined
    ? { kind: 'changed', grant: { ...grant, refresh: { ...refresh, shared: true } }, result }
    : { kind: 'unchanged', grant, result }
}

/** The first secrets. Deriving them needs the code, the salt of the record and the key. */
function freshOf([accessToken, refreshToken]: readonly [Secret, Secret]): FreshSecrets {
  return { accessToken, refreshToken, family: sha256(`family\n${refreshToken}`).slice(0, 22) }
}
