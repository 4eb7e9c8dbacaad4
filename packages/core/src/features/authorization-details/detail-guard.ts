import { keptUntil, MAX_ATTEMPTS } from '../../grants/change-grant.ts'
import { errorResponse } from '../../http/endpoint.ts'
import { type BaseEvent, shielded } from '../../kernel/events.ts'
import { type ErrorDefinition, OAuthError, SERVER_ERRORS } from '../../kernel/oauth-error.ts'
import type { Grant } from '../../kernel/records.ts'
import { type GrantId, sha256 } from '../../kernel/secrets.ts'
import { type GrantRecords, type Store, storeErrorsAs503 } from '../../kernel/store.ts'
import { pauseAfter, systemClock } from '../../kernel/time.ts'
import type { AccessToken, Refused } from '../../resource/access.ts'
import { BEARER_ERRORS, challenge } from '../../resource/challenge.ts'
import { tokenType } from '../../tokens/credential.ts'
import {
  type AuthorizationDetail,
  amountOf,
  checkedDetail,
  covers,
  DETAIL_ERRORS,
  type DetailType,
  type DetailTypes,
  same,
  typeOf,
} from './detail.ts'
import { DETAILS } from './detail-term.ts'

/** An operation was counted against what its user allowed. */
export interface AuthorizationDetailSpent {
  readonly type: 'authorization_detail_spent'
  readonly grantId: string
  readonly clientId: string
  readonly detail: string
  /** 1 for a type that is good once. */
  readonly amount: number
}

export interface DetailGuardOptions {
  /** The guard of the API, which has accepted the token. */
  readonly api: { readonly metadataUrl: string }
  readonly types: DetailTypes
  /** The store of the authorization server: needed where a type has `uses`, so a guard of JWTs alone has no such types. */
  readonly store?: Store | undefined
  readonly onEvent?: ((event: AuthorizationDetailSpent) => void) | undefined
  /** Epoch seconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
}

/** Compares operations with what the user allowed: with the token, never with what the client says of it. */
export interface DetailGuard {
  /** @returns a 403 `insufficient_authorization` for an operation that the details of the token do not cover */
  covering(token: AccessToken, operation: AuthorizationDetail): Refused | undefined
  /**
   * Counts an operation before it is carried out: one write to the grant. Of two at once that both fit alone, but not together, one is
   * refused. Call it again with the same id if you do not know whether it was counted: the same operation costs nothing then.
   *
   * @param operationId of yours, such as the id of a payment. The newest 20 of a detail are known. Another operation with it counts
   * @returns a 403 if it is not covered, or used up, and a 401 if the grant has ended; then nothing is written
   * @throws OAuthError 503 while the store is down
   */
  spend(token: AccessToken, operation: AuthorizationDetail, operationId: string): Promise<Refused | undefined>
}

/**
 * Guards operations by their details, after the guard of the API has accepted the token.
 *
 * @throws Error for a type with `uses` without a store
 *
 * @example
 * ```ts with:server
 * import { createResourceServer } from '@grantkit/core'
 * import { type DetailTypes, detailGuard, detailClaims } from '@grantkit/core/authorization-details'
 *
 * declare const types: DetailTypes
 *
 * const bank = createResourceServer({ resource: issuer, store, scopes, requestTerms: [detailClaims] })
 * export const payments = detailGuard({ api: bank, types, store })
 * // const refused = await payments.spend(token, { type: 'payment', amount: 1250, currency: 'EUR' }, paymentId)
 * ```
 */
export function detailGuard({
  api,
  types,
  store,
  onEvent,
  now = systemClock,
}: DetailGuardOptions): DetailGuard {
  const counted = Object.keys(types).find((name) => types[name]?.uses !== undefined)
  if (store === undefined && counted !== undefined)
    throw new Error(`types: ${counted} has uses, which are counted in the store of the authorization server`)
  const grants = store && storeErrorsAs503(store).grants
  const emit = shielded(onEvent as ((event: BaseEvent) => void) | undefined)
  const refused = (token: AccessToken, definition: ErrorDefinition) =>
    refusal(token.metadataUrl ?? api.metadataUrl, token, new OAuthError(definition))
  /** The operation as its schema reads it, and the details that cover it; `undefined` if none does. */
  const coveredOperation = (token: AccessToken, operation: AuthorizationDetail) => {
    const asked = checkedOperation(types, operation)
    if (asked === undefined) return undefined
    const allowed = detailsOf(token).filter((detail) => covers(types, detail, asked))
    return allowed.length === 0 ? undefined : { asked, allowed }
  }
  return {
    covering: (token, operation) =>
      coveredOperation(token, operation) ? undefined : refused(token, DETAIL_ERRORS.detail_missing),
    async spend(token, operation, operationId) {
      const covered = coveredOperation(token, operation)
      if (covered === undefined) return refused(token, DETAIL_ERRORS.detail_missing)
      const { asked, allowed } = covered
      const type = typeOf(types, asked.type)
      if (grants === undefined || type?.uses === undefined) return undefined
      const amount = type.uses === 'once' ? 1 : amountOf(type.uses, asked)
      if (amount === undefined) return refused(token, DETAIL_ERRORS.detail_missing)
      const id = sha256(JSON.stringify([operationId, asked])).slice(0, OPERATION_LENGTH)
      const time = now()
      const days = { day: dayOf(time), tomorrow: dayOf(time + DAY) }
      const spending = { allowed, type, amount, id, ...days }
      const outcome = await spendOf(grants, token.grantId as GrantId, spending)
      if (outcome === 'ended') return refused(token, BEARER_ERRORS.bearer_unknown)
      if (outcome === 'used_up') return refused(token, DETAIL_ERRORS.detail_used_up)
      if (outcome === 'repeated') return undefined
      const { grantId, clientId } = token
      const spent = { grantId, clientId, detail: asked.type, amount }
      emit({ type: 'authorization_detail_spent', ...spent } satisfies AuthorizationDetailSpent)
      return undefined
    },
  }
}

/** What the schema refuses is covered by nothing. */
function checkedOperation(
  types: DetailTypes,
  operation: AuthorizationDetail,
): AuthorizationDetail | undefined {
  try {
    return checkedDetail(types, operation)
  } catch (thrown) {
    if (thrown instanceof OAuthError) return undefined
    throw thrown
  }
}

/** As the guard tells them: with the store those for this API; in a JWT those for any of its resources, so `within` must compare `locations`. */
function detailsOf({ claims }: AccessToken): readonly AuthorizationDetail[] {
  const granted = claims?.[DETAILS]
  return Array.isArray(granted) ? granted : []
}

function refusal(metadataUrl: string, { jkt }: AccessToken, error: OAuthError): Refused {
  const response = errorResponse(error)
  const attributes = {
    error: error.error,
    error_description: error.errorDescription,
    resource_metadata: metadataUrl,
  }
  const headers = { ...response.headers, 'www-authenticate': challenge(tokenType(jkt), attributes) }
  return { kind: 'refused', response: { ...response, headers } }
}

const OPERATION_LENGTH = 16
const MAX_OPERATIONS = 20

interface Spending {
  /** The details of the token that cover the operation. */
  readonly allowed: readonly AuthorizationDetail[]
  readonly type: DetailType
  readonly amount: number
  readonly id: string
  /** The day of now, and the next one. */
  readonly day: string
  readonly tomorrow: string
}

type SpendOutcome = 'spent' | 'repeated' | 'used_up' | 'ended'

async function spendOf(grants: GrantRecords, grantId: GrantId, spending: Spending): Promise<SpendOutcome> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, {})
    const seen = await grants.find(grantId)
    const granted = seen?.value.terms?.authorization_details
    if (seen === undefined || granted === undefined) return 'ended'
    const spent = spentOf(granted.details, seen.value.spent ?? {}, spending)
    if (typeof spent === 'string') return spent
    const grant = { ...seen.value, spent }
    if (await grants.replace(grantId, seen, grant, keptUntil(grant))) return 'spent'
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}

/** The rule: pure, so that a lost race begins again with what the winner wrote. */
function spentOf(
  details: readonly AuthorizationDetail[],
  spent: NonNullable<Grant['spent']>,
  { allowed, type, amount, id, day: today, tomorrow }: Spending,
): NonNullable<Grant['spent']> | 'repeated' | 'used_up' {
  const places = details.flatMap((detail, place) =>
    allowed.some((one) => same(one, detail)) ? [{ detail, place: String(place) }] : [],
  )
  if (places.some(({ place }) => spent[place]?.operations.includes(id))) return 'repeated'
  for (const { detail, place } of places) {
    const before = spent[place] ?? { total: 0, operations: [] }
    // The clock of another process may be a day ahead: its day goes on.
    const isOver = isOfDay(type) && before.day !== today && before.day !== tomorrow
    const total = (isOver ? 0 : before.total) + amount
    if (total > limitOf(type, detail)) continue
    const operations = [...before.operations, id].slice(-MAX_OPERATIONS)
    const day = isOver ? today : before.day
    return { ...spent, [place]: { total, ...(day && { day }), operations } }
  }
  return 'used_up'
}

function limitOf({ uses }: DetailType, detail: AuthorizationDetail): number {
  return typeof uses === 'object' ? (amountOf(uses, detail) ?? 0) : 1
}

function isOfDay({ uses }: DetailType): boolean {
  return typeof uses === 'object' && uses.per === 'day'
}

const DAY = 24 * 60 * 60

function dayOf(now: number): string {
  return new Date(now * 1000).toISOString().slice(0, 10)
}
