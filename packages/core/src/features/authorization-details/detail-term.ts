import * as z from 'zod'
import type { RequestTerm } from '../../grants/request-terms.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import {
  type AuthorizationDetail,
  covers,
  DETAIL_ERRORS,
  type DetailTypes,
  readDetails,
  same,
  sentenceOf,
  typeOf,
} from './detail.ts'

/** `Grant.terms.authorization_details`. */
export interface GrantedDetails {
  readonly details: readonly AuthorizationDetail[]
}

export interface SpentDetail {
  /** The sum of the amounts; the number of operations of a detail for one. */
  readonly total: number
  /** The day of that sum (UTC), as `2026-11-30`, for a budget of a day. */
  readonly day?: string | undefined
  /** The hashes of the newest operations: one that is repeated costs nothing. */
  readonly operations: readonly string[]
}

/** `ConsentView.terms.authorization_details`. */
export interface DetailsView {
  /** What the types say about each, as text. All of it is shown: the user allows all, or denies the request. */
  readonly details: readonly { readonly type: string; readonly text: string }[]
  /** The value of the hidden field `authorization_details` of the form: what the page has shown. */
  readonly shown: string
}

declare module '../../kernel/records.ts' {
  interface Terms {
    readonly authorization_details?: GrantedDetails | undefined
  }
  interface TermViews {
    readonly authorization_details?: DetailsView | undefined
  }
  interface Grant {
    /** What was spent, by the place of the detail in `terms`. The older release does not know it. */
    readonly spent?: Readonly<Record<string, SpentDetail>> | undefined
  }
  interface FeatureMetadata {
    readonly authorization_details_types?: readonly string[] | undefined
  }
}

/** The name of the parameter, of the term, of the field of the form, and of the claim (RFC 9396 2, 7, 9). */
export const DETAILS = 'authorization_details'

/** Typed details as a term of requests. They are asked for each time: no consent to them is remembered. */
export function detailTerm(types: DetailTypes): RequestTerm<readonly AuthorizationDetail[], GrantedDetails> {
  const sentIn = (requested: Readonly<Record<string, unknown>>) => {
    const sent = requested[DETAILS] as string | undefined
    return sent === undefined ? undefined : readDetails(types, sent)
  }
  return {
    name: DETAILS,
    parameters: z.object({ [DETAILS]: z.string().optional() }),
    claims: [DETAILS],
    read(requested, { client }) {
      const details = sentIn(requested)
      if (details?.some(({ type }) => !mayAskFor(client, types, type)))
        throw new OAuthError(DETAIL_ERRORS.detail_type_not_allowed)
      return details
    },
    view: (asked, { locale }) => {
      const details = asked.map((detail) => ({ type: detail.type, text: sentenceOf(types, detail, locale) }))
      return { shown: { details, shown: digest(asked) }, decided: 'open' }
    },
    decide(asked, form) {
      // A page that does not know them has not shown them. "Reading only" is no answer to them.
      if (form[DETAILS] !== digest(asked) || form.decision !== 'allow')
        throw new OAuthError(DETAIL_ERRORS.details_not_shown)
      return { value: { details: asked } }
    },
    narrow(value, { requested }) {
      const asked = sentIn(requested)
      if (asked === undefined) return { value }
      const isGranted = (detail: AuthorizationDetail) =>
        value.details.some((granted) => narrowsTo(types, granted, detail))
      if (!asked.every(isGranted)) throw new OAuthError(DETAIL_ERRORS.details_not_granted)
      return { value: { details: asked } }
    },
    absent(requested) {
      if (sentIn(requested)) throw new OAuthError(DETAIL_ERRORS.details_not_granted)
    },
    claimsOf: claimsOfDetails,
  }
}

/** A budget stays whole: several tokens with a part of it would be worth more than it. */
function narrowsTo(types: DetailTypes, granted: AuthorizationDetail, asked: AuthorizationDetail): boolean {
  return typeOf(types, granted.type)?.uses === undefined
    ? covers(types, granted, asked)
    : same(granted, asked)
}

/** RFC 9396 10. Anyone can claim to be a client that registered itself. */
function mayAskFor({ origin, featureMetadata }: Client, types: DetailTypes, type: string): boolean {
  const registered = featureMetadata?.authorization_details_types
  if (registered !== undefined && !registered.includes(type)) return false
  return origin === 'integration' || typeOf(types, type)?.selfRegistered === true
}

function digest(details: readonly AuthorizationDetail[]): string {
  return sha256(JSON.stringify(details))
}

/** RFC 9396 7, 9.1, 9.2: an API hears only what is for it. */
export const claimsOfDetails: RequestTerm<unknown, GrantedDetails>['claimsOf'] = (
  { details },
  { use, resources },
) => {
  if (use === 'id_token' || use === 'userinfo') return {}
  if (use === 'token_response') return { [DETAILS]: details }
  const isHere = ({ locations }: AuthorizationDetail) =>
    locations === undefined || resources.length === 0 || resources.some((one) => locations.includes(one))
  return { [DETAILS]: details.filter(isHere) }
}
