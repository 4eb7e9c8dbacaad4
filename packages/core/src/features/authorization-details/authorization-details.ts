/**
 * Rich authorization requests (RFC 9396): what a scope cannot say, such as one payment of 12.50 EUR to one payee. Each detail has a
 * type that the operator knows; the user reads it in the operator's words, and a detail may be good for one operation or for a budget.
 *
 * @module
 */

import type { Feature } from '../../feature.ts'
import type { TermClaims } from '../../grants/grant.ts'
import { type RequestTerm, RequestTerms } from '../../grants/request-terms.ts'
import { listOf, text } from '../../http/message.ts'
import { DETAIL_ERRORS, type DetailTypes } from './detail.ts'
import { claimsOfDetails, DETAILS, detailTerm } from './detail-term.ts'

export type { AuthorizationDetail, DetailType, DetailTypes, DetailUses } from './detail.ts'
export { DETAIL_ERRORS } from './detail.ts'
export {
  type AuthorizationDetailSpent,
  type DetailGuard,
  type DetailGuardOptions,
  detailGuard,
} from './detail-guard.ts'
export type { DetailsView, GrantedDetails, SpentDetail } from './detail-term.ts'

export interface AuthorizationDetailsOptions {
  /** The types of details, by name. */
  readonly types: DetailTypes
}

const NAME = /^[\w.:/-]{1,100}$/

/**
 * Takes `authorization_details` in authorization, pushed, device and backchannel requests, and narrower ones in token requests.
 *
 * @throws Error for no type, a bad name, or a field `type` of a schema
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { authorizationDetails, type DetailTypes } from '@grantkit/core/authorization-details'
 * import * as z from 'zod'
 *
 * const types: DetailTypes = {
 *   payment: {
 *     schema: z.object({ amount: z.int().min(1), currency: z.enum(['EUR']), payee: z.string().max(70) }),
 *     describe: ({ amount, payee }) => `Pay ${(Number(amount) / 100).toFixed(2)} EUR, once. The app names the payee “${payee}”`,
 *     uses: 'once',
 *   },
 * }
 * const features = [authorizationDetails({ types })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function authorizationDetails({ types }: AuthorizationDetailsOptions): Feature {
  const names = Object.keys(types)
  if (names.length === 0) throw new Error('authorizationDetails: types has no type')
  for (const [name, { schema, uses }] of Object.entries(types)) {
    if (!NAME.test(name)) throw new Error(`authorizationDetails: "${name}" is no name of a type`)
    if ('type' in schema.shape)
      throw new Error(`authorizationDetails: the schema of ${name} has the field type, which is its name`)
    if (typeof uses === 'object' && !(uses.budget in schema.shape))
      throw new Error(`authorizationDetails: the schema of ${name} has no field ${uses.budget}`)
  }
  const Types = listOf(text(100), 20).refine((asked) => asked.every((name) => names.includes(name)), {
    error: `must be of ${names.join(', ')}`,
  })
  const supported = { authorization_details_types_supported: names }
  return () => ({
    requestTerms: new RequestTerms([detailTerm(types) as RequestTerm]),
    // RFC 9396 10; at a resource a client finds what to ask for there.
    metadata: supported,
    resourceMetadata: supported,
    clientMetadata: () => ({ authorization_details_types: Types.optional() }),
    errors: DETAIL_ERRORS,
  })
}

/** For the guard of an API in another process than the server: `createResourceServer({ …, requestTerms: [detailClaims] })`. */
export const detailClaims: TermClaims = { name: DETAILS, claimsOf: claimsOfDetails } as TermClaims
